"""
One threshold for all labels
============================

One half is not always the best place to cut a probability. :class:`labelknn.OneThreshold` finds the multiple of .01
that has the best micro F1 on the training rows, each scored by its neighbours among the others.
"""

# %%
# Labels are rare here, so one half is too much to ask of them.

from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import train_test_split

from labelknn import MLkNN, OneThreshold
from labelknn.metrics import micro_f1

X, Y = make_multilabel_classification(
    n_samples=1200, n_features=15, n_classes=10, n_labels=2, length=12, random_state=4
)
X_train, X_test, Y_train, Y_test = train_test_split(X, Y, random_state=0)
model = OneThreshold(MLkNN(k=10)).fit(X_train, Y_train)
print(f"threshold {model.threshold_}")
print(f"micro F1 with it: {micro_f1(Y_test, model.predict(X_test)):.3f}")
print(f"micro F1 with .5: {micro_f1(Y_test, model.estimator_.predict(X_test)):.3f}")

# %%
# What the threshold does on the test rows, which it has not seen.

import matplotlib.pyplot as plt
import numpy as np

thresholds = np.arange(0.02, 0.96, 0.02)
scores = model.predict_proba(X_test)
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(thresholds, [micro_f1(Y_test, scores >= threshold) for threshold in thresholds])
ax.axvline(model.threshold_, color="tab:orange", label=f"learned on the training rows: {model.threshold_:.2f}")
ax.axvline(0.5, color="0.5", linestyle="--", label="one half")
ax.set(xlabel="threshold", ylabel="micro F1 on the test rows")
ax.legend(frameon=False)
plt.show()
