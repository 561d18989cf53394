"""
Your own CSV through all methods
================================

A file with a header, features first, then a column of 0 and 1 for each label: that is all that is needed.
"""

# %%
# Such a file, as a spreadsheet would write it.

from pathlib import Path
from tempfile import mkdtemp

import pandas as pd
from sklearn.datasets import make_multilabel_classification

X, Y = make_multilabel_classification(n_samples=150, n_features=6, n_classes=4, random_state=7)
labels = ["calm", "sad", "happy", "angry"]
features = [f"x{i}" for i in range(6)]
table = pd.DataFrame(X, columns=features).join(pd.DataFrame(Y, columns=labels))
path = Path(mkdtemp(), "mine.csv")
table.to_csv(path, index=False)
table.head(3)

# %%
# Read it, and run every method for label sets that the library has, with its default parameters, on the same folds.

from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from labelknn import datasets, metrics, utils

data = datasets.read_csv(path, labels=["calm", "sad", "happy", "angry"])
score, found = metrics.scorer("micro_f1"), {}
for name, Method in utils.all_estimators("multilabel"):
    model = make_pipeline(MinMaxScaler(clip=True), Method())
    found[name] = cross_val_score(model, data.X, data.Y, scoring=score, cv=3)

# %%
# All of them, best first. :doc:`/guide/comparing` does the same from a config, with ranks, tests and limits.

import matplotlib.pyplot as plt

scores = pd.DataFrame(found).T
scores = scores.loc[scores.mean(axis=1).sort_values().index]
fig, ax = plt.subplots(figsize=(6.5, 4.8), layout="constrained")
ax.errorbar(scores.mean(axis=1), scores.index, xerr=scores.sem(axis=1), fmt="o", capsize=2)
ax.grid(axis="y", alpha=0.4)
ax.set(xlabel="micro F1, mean and standard error of three folds")
plt.show()
