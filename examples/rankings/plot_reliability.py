"""
How far a ranking can be trusted
================================

Instance-based label ranking fits a Mallows model to the neighbours' rankings: a centre, which it predicts, and a spread
θ. Where the neighbours agree θ is large, and so it says which predictions to keep (Cheng et al. 2009, section 6.2).
"""

# %%
# Rankings of the three wines, made as in :doc:`/gallery/rankings/plot_ranking_tree`; a fifth of them is then shuffled,
# so that there is something to distrust.

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from labelknn import IBLR
from labelknn.metrics import kendall_tau

X, kinds = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
rng = np.random.default_rng(0)
Y = rankdata(-GaussianNB().fit(X, kinds).predict_log_proba(X), axis=1, method="ordinal").astype(int)
noisy = rng.random(len(Y)) < 0.2
Y[noisy] = rng.permuted(Y[noisy], axis=1)

# %%
# Every row is predicted by a model that has not seen it, together with its θ.

from sklearn.model_selection import KFold

predicted, theta = np.empty_like(Y), np.empty(len(Y))
for train, test in KFold(10, shuffle=True, random_state=0).split(X):
    model = IBLR(k=10).fit(X[train], Y[train])
    predicted[test], theta[test] = model.predict(X[test]), model.predict_reliability(X[test])

# %%
# Keep the most reliable predictions only: half of them are far better than all.

import matplotlib.pyplot as plt

order = np.argsort(-theta, kind="stable")
shares = np.arange(0.2, 1.01, 0.05)
taus = [kendall_tau(Y[kept], predicted[kept]) for kept in (order[: round(share * len(Y))] for share in shares)]
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(shares, taus, marker="o")
ax.axhline(taus[-1], color="0.5", linestyle="--", linewidth=1, label="all predictions")
ax.set(xlabel="share of predictions that are kept", ylabel="Kendall's tau of those")
ax.xaxis.set_major_formatter("{x:.0%}")
ax.legend(frameon=False)
plt.show()
