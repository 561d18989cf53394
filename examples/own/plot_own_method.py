"""
A method of your own
====================

Any estimator with ``fit(X, Y)`` and ``predict`` takes part. With ``predict_proba`` or ``decision_function`` it is also
measured by the order of its scores. :doc:`/guide/own` puts the same class into a paper's tables.
"""

# %%
# Neighbours by scikit-learn, votes that fall with the distance.

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors


class DistanceVote(BaseEstimator):
    def __init__(self, k=10, scale=1.0):
        self.k, self.scale = k, scale

    def fit(self, X, Y):  # Y is (n, q), 0 and 1
        self.search_, self.Y_ = NearestNeighbors(n_neighbors=self.k).fit(X), np.asarray(Y)
        return self

    def predict_proba(self, X):
        distances, rows = self.search_.kneighbors(X)
        votes = np.exp(-distances / self.scale)[:, :, None]
        return (votes * self.Y_[rows]).sum(axis=1) / votes.sum(axis=1)

    def predict(self, X):
        return (self.predict_proba(X) > 0.5).astype(int)


# %%
# Beside ML-kNN, for several numbers of neighbours.

from sklearn.model_selection import cross_val_score

from labelknn import MLkNN
from labelknn.datasets import load
from labelknn.metrics import scorer

data = load("synthetic-multilabel")
numbers = [2, 4, 7, 10, 15, 25, 40]
methods = {"my own": DistanceVote(), "ML-kNN": MLkNN()}
found = {
    name: [
        cross_val_score(method.set_params(k=k), data.X, data.Y, scoring=scorer("ranking_loss"), cv=5).mean()
        for k in numbers
    ]
    for name, method in methods.items()
}

# %%
# A loss is negated in ``scorer``; the picture shows it as it is.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, scores in found.items():
    ax.plot(numbers, -np.array(scores), marker="o", label=name)
ax.set(xlabel="neighbours k", ylabel="ranking loss, five folds")
ax.legend(frameon=False)
plt.show()
