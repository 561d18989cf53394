"""
Sparse data: neighbours of rows and of features
===============================================

:class:`labelknn.LCIF` adds two confidences: that of the nearest rows by cosine, and that of the labels which lie near
the row's features (Feremans et al. 2017). The weight λ says how much each of them counts. Nothing is made dense, so the
same lines work for text with 100,000 words and 30,000 labels.
"""

# %%
# Generated documents: each row counts words, and seven of eight counts are 0.

from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import train_test_split

from labelknn import LCIF
from labelknn.metrics import micro_f1
from labelknn.preprocessing import UnitRows

X, Y = make_multilabel_classification(
    n_samples=1500, n_features=300, n_classes=12, length=40, sparse=True, return_indicator="sparse", random_state=0
)
X_train, X_test, Y_train, Y_test = train_test_split(UnitRows().fit_transform(X), Y, random_state=0)
X_train, Y_train

# %%
# The weight by hand, and as :class:`~labelknn.LCIF` chooses it on the training rows with ``tune``.

weights = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
scores = [micro_f1(Y_test, LCIF(k_instance=50, weight=w).fit(X_train, Y_train).predict(X_test)) for w in weights]
tuned = LCIF(tune="micro_f1", random_state=0).fit(X_train, Y_train)
tuned.setting_

# %%
# The two kinds of neighbours together are better than either alone.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(weights, scores, marker="o", label="50 rows, 15 labels, weight as on the axis")
ax.axhline(micro_f1(Y_test, tuned.predict(X_test)), color="tab:orange", label="all chosen on the training rows")
ax.set(xlabel="λ: 0 is features alone, 1 is rows alone", ylabel="micro F1 on the test rows")
ax.legend(frameon=False)
plt.show()
