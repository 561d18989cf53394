"""
Rankings with missing labels
============================

Rarely does anybody rank everything. In Y a missing label has rank 0 or NaN, and the methods learn from the labels that
are there. Cheng, Hühn & Hüllermeier (2009) drop 30 and 60 % of the labels; here are the shares in between.
"""

# %%
# The digits 0 to 9, in the order in which a naive Bayes classifier thinks of them.

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.naive_bayes import GaussianNB

X, digits = load_digits(return_X_y=True)
X = PCA(8, random_state=0).fit_transform(X)[:900]
probabilities = GaussianNB().fit(X, digits[:900]).predict_log_proba(X)
Y = rankdata(-probabilities, axis=1, method="ordinal").astype(int)
Y[0]

# %%
# Each training label is dropped with the same probability. The test rows keep theirs.

from labelknn import IBLR, LRT
from labelknn.metrics import kendall_tau

rng = np.random.default_rng(0)
shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
methods = {"IBLR, k = 10": IBLR(k=10), "IBLR, k = 30": IBLR(k=30), "label ranking tree": LRT()}
found = {name: [] for name in methods}
for share in shares:
    kept = np.where(rng.random(Y[:600].shape) < share, 0, Y[:600])
    for name, method in methods.items():
        found[name].append(kendall_tau(Y[600:], method.fit(X[:600], kept).predict(X[600:])))

# %%
# Where many labels are missing, few neighbours say too little about most pairs of labels, and more neighbours help.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, taus in found.items():
    ax.plot(shares, taus, marker="o", label=name)
ax.set(xlabel="share of training labels that are missing", ylabel="Kendall's tau on the test rows")
ax.xaxis.set_major_formatter("{x:.0%}")
ax.legend(frameon=False)
plt.show()
