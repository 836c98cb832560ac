# %% [markdown]
# # Three derivatives

# %%
import numpy as np


# %%
def d_mul(g, x, y):
    """The gradients of x * y with respect to x and y."""
    ### BEGIN HINT 1
    # By how much does the product change when x changes by a little?
    ### END HINT
    ### BEGIN SOLUTION
    return g * y, g * x
    ### END SOLUTION


# %%
def d_mean(g, x):
    """The gradient of x.mean() with respect to x."""
    ### BEGIN SOLUTION
    share = np.ones_like(x) / x.size
    return g * share
    ### END SOLUTION


# %%
def d_relu(g, x):
    """The gradient of max(x, 0) with respect to x."""
    ### BEGIN SOLUTION
    return np.where(x > 0, g, 0.0)
    ### END SOLUTION
