"""
Several methods on the same folds
=================================

Methods can only be compared on the same rows. ``cross_val_score`` with a fixed splitter does that for a handful of
estimators; :doc:`/guide/comparing` says how to run all of them under limits of time and memory, with tests.
"""

# %%
# Four neighbour methods of this library, a linear baseline, and scikit-learn's own nearest neighbours.

from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from labelknn import IBLRML, BRkNN, BRLinearSVM, FeatureKNN, MLkNN
from labelknn.datasets import load
from labelknn.errors import SourceUnreachable
from labelknn.metrics import METRICS, scorer

try:
    data = load("yeast")
except SourceUnreachable:
    data = load("synthetic-multilabel")

methods = {
    "ML-kNN": MLkNN(),
    "IBLR-ML": IBLRML(),
    "BR-kNN": BRkNN(),
    "feature-kNN": FeatureKNN(),
    "linear SVM for each label": BRLinearSVM(),
    "k-NN (scikit-learn)": KNeighborsClassifier(10),
}
folds = KFold(5, shuffle=True, random_state=0)
X, Y = data.X[:1000], data.Y[:1000]
found = {
    (name, measure): cross_val_score(method, X, Y, scoring=scorer(measure), cv=folds)
    for name, method in methods.items()
    for measure in ("micro_f1", "average_precision")
}

# %%
# Means with standard errors over the folds.

import matplotlib.pyplot as plt
import numpy as np

fig, axes = plt.subplots(1, 2, figsize=(8.5, 3), sharey=True, layout="constrained")
for ax, measure in zip(axes, ("micro_f1", "average_precision"), strict=True):
    scores = np.array([found[name, measure] for name in methods])
    error = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    ax.errorbar(scores.mean(axis=1), range(len(methods)), xerr=error, fmt="o", capsize=2)
    ax.set(xlabel=METRICS[measure].label, yticks=range(len(methods)), yticklabels=methods)
    ax.grid(axis="y", alpha=0.4)
axes[0].invert_yaxis()
plt.show()
