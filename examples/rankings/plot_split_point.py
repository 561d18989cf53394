"""
Rankings with a split point
===========================

A multilabel ranking puts the labels in order and says where the relevant ones end. The end is one more label, the
*virtual* one, in the last column (Brinker & Hüllermeier 2007).
"""

# %%
# Label sets alone give such a ranking: the labels of the set share the first place, the virtual label comes next, the
# others share the last place. Equal ranks are ties.

import numpy as np
from sklearn.datasets import make_multilabel_classification

X, sets = make_multilabel_classification(n_samples=400, n_features=10, n_classes=6, n_labels=3, random_state=5)
virtual = np.full((len(sets), 1), 2)
Y = np.hstack([np.where(sets == 1, 1, 3), virtual])
Y[0]

# %%
# k-NN predicts the order of the neighbours' mean ranks. What comes before the virtual label is the predicted set.

from labelknn import CaseBasedRanking
from labelknn.metrics import above_split, hamming_loss

model = CaseBasedRanking(random_state=0).fit(X[:300], Y[:300])
ranks = model.predict(X[300:])
print(f"k = {model.k_}, chosen on the training rows")
print(f"Hamming loss: {hamming_loss(sets[300:], above_split(ranks)):.3f}")

# %%
# Fifteen predictions, best label first. True labels are on colour; the bar is the split point.

import matplotlib.pyplot as plt

shown = ranks[:15]
places = np.argsort(np.argsort(shown, axis=1), axis=1)
fig, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
for row, (order, split) in enumerate(zip(places, places[:, -1], strict=True)):
    for label, place in enumerate(order[:-1]):
        at = place + 0.5 if place < split else place - 0.5
        ax.text(at, row, f"{label}", ha="center", va="center", zorder=3)
        if sets[300 + row, label]:
            ax.scatter(at, row, s=220, color="#ffd28a", zorder=2)
    ax.plot([split, split], [row - 0.45, row + 0.45], color="tab:blue", linewidth=2)
ax.set(xlabel="predicted ranking of the labels 0 to 5", ylabel="test rows")
ax.set(xlim=(-0.2, 6.2), ylim=(14.6, -0.6), xticks=[], yticks=[])
plt.show()
