"""
An alternating decision tree for label sets
===========================================

:class:`labelknn.ADTBoostMH` is a baseline of Zhang & Zhou (2005) that can be read: each rule votes for every label, and
a row adds up the votes of all rules on its ways through the tree.
"""

# %%
# Flowers with two labels of their own making: large petals, and broad sepals.

import numpy as np
from sklearn.datasets import load_iris

from labelknn import ADTBoostMH

iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
Y = np.column_stack([iris.target == 0, iris.target == 1, iris.target == 2, X["sepal width"] > 3])
names = [*iris.target_names, "broad sepals"]
model = ADTBoostMH(steps=5).fit(X, Y.astype(int))
print(model.export_text(feature_names=list(X), label_names=names))

# %%
# The same as a picture: questions on the left, votes on the right.

import matplotlib.pyplot as plt

model.plot(feature_names=list(X), label_names=names)
plt.show()
