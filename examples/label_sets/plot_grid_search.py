"""
A grid search with probabilities
================================

Every method is a scikit-learn estimator, and every measure of the papers a ``scoring``. So the number of neighbours can
be chosen by the order in which the *probabilities* put the labels, not only by the predicted sets.
"""

# %%
# Ten lines: a pipeline, a grid, a measure that needs probabilities, and the probabilities of the best model.

from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from labelknn import MLkNN
from labelknn.metrics import scorer

X, Y = make_multilabel_classification(n_samples=600, n_features=12, n_classes=6, random_state=2)
grid = {"mlknn__k": [1, 2, 3, 5, 8, 12, 20, 30, 50]}
search = GridSearchCV(make_pipeline(MinMaxScaler(), MLkNN()), grid, scoring=scorer("average_precision"), cv=5)
search.fit(X[:500], Y[:500]).best_params_

# %%
# The search refits the best pipeline on all rows that it was given.

search.predict_proba(X[500:503]).round(2)

# %%
# The mean over the folds, and its standard error.

import matplotlib.pyplot as plt
import numpy as np

found = search.cv_results_
error = found["std_test_score"] / np.sqrt(search.n_splits_)
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
left.errorbar(grid["mlknn__k"], found["mean_test_score"], error, marker="o", capsize=2)
left.axvline(search.best_params_["mlknn__k"], color="0.5", linestyle=":")
left.set(xscale="log", xlabel="neighbours k", ylabel="average precision", title="Five folds")
left.set_xticks(grid["mlknn__k"], grid["mlknn__k"])
left.minorticks_off()
image = right.imshow(search.predict_proba(X[500:520]), cmap="Blues", vmin=0, vmax=1, aspect="auto")
rows, labels = np.nonzero(Y[500:520])
right.scatter(labels, rows, s=14, color="tab:orange", label="true label")
right.set(xlabel="label", ylabel="row", yticks=[], title="Probabilities of 20 other rows")
right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False)
fig.colorbar(image, ax=right)
plt.show()
