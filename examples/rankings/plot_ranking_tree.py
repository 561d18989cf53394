"""
A label ranking tree, as text and as a picture
==============================================

A label ranking tree predicts the order of all labels (Cheng, Hühn & Hüllermeier 2009). Each leaf has a ranking, and a
spread θ that says how much the training rows there agree with it.
"""

# %%
# Iris has classes, not rankings. As the paper does for its semi-synthetic data, a naive Bayes classifier puts the
# species in order for each flower: the most probable one has rank 1.

from scipy.stats import rankdata
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from labelknn import LRT

iris = load_iris()
names = [name.removesuffix(" (cm)") for name in iris.feature_names]
probabilities = GaussianNB().fit(iris.data, iris.target).predict_proba(iris.data)
Y = rankdata(-probabilities, axis=1, method="ordinal")
tree = LRT(max_depth=3).fit(iris.data, Y)
print(tree.export_text(feature_names=names, label_names=list(iris.target_names)))

# %%
# ``score`` is the mean of Kendall's tau, 1 for the same order and −1 for the opposite one.

from sklearn.model_selection import cross_val_score

cross_val_score(LRT(), iris.data, Y, cv=10).mean().round(3)

# %%
# The left branch of a test is where it holds.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
tree.plot(feature_names=names, label_names=list(iris.target_names), ax=ax)
plt.show()
