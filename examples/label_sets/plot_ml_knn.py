"""
What ML-kNN learns
==================

ML-kNN counts how many of the k nearest neighbours have a label, and turns the count into a probability by Bayes' rule
(Zhang & Zhou 2005). The table of these probabilities is the whole model: one curve for each label.
"""

# %%
# The yeast data: 2,417 genes, 103 measurements, 14 functional classes, and the public split into training and test
# rows. Without a network, a generated data set takes its place.

from labelknn.datasets import load
from labelknn.errors import SourceUnreachable

try:
    data = load("yeast")
except SourceUnreachable:
    data = load("synthetic-multilabel")
data

# %%
# Fit it, and look at two of the paper's measures on the test rows. A loss is negated, so that larger is always better.

from sklearn.model_selection import train_test_split

from labelknn import MLkNN
from labelknn.metrics import scorer

split = data.train_test() if data.part is not None else train_test_split(data.X, data.Y, random_state=0)
X_train, X_test, Y_train, Y_test = split
model = MLkNN(k=10).fit(X_train, Y_train)
{name: round(scorer(name)(model, X_test, Y_test), 3) for name in ("hamming_loss", "average_precision")}

# %%
# A label is predicted where its probability is above one half. For frequent labels a few neighbours are enough; rare
# ones need a majority, and some never get there.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
shades = plt.colormaps["viridis"](model.prior_ / model.prior_.max())
for posterior, shade in zip(model.posterior_, shades, strict=True):
    ax.plot(posterior, color=shade, marker="o", markersize=3)
ax.axhline(0.5, color="0.4", linestyle="--", linewidth=1)
ax.set(xlabel="neighbours that have the label, of 10", ylabel="probability of the label", ylim=(0, 1))
bar = fig.colorbar(plt.cm.ScalarMappable(plt.Normalize(0, model.prior_.max()), "viridis"), ax=ax)
bar.set_label("share of training rows with the label")
plt.show()
