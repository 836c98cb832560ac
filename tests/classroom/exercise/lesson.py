# %% [markdown]
# # Three derivatives
# A backward rule takes the gradient of the output and gives the gradient of each input.

# %%
import numpy as np

x = np.array([1.0, 2.0])
