# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5. Backward, step by step
#
# A network learns by asking one question about each of its numbers: *if I turn you up a little, what does the
# result do?* One call, `backward()`, answers it for all of them.
#
# You will watch that call at work, first on numbers small enough for your head, then on a network that reads
# handwritten digits. You need ordinary Python and the derivative of a product. It takes about 45 minutes.
#
# Five times you are asked to predict a number. Write your guess down before you run the next cell. A wrong guess
# teaches more than no guess.

# %%
import warnings

import tensorplay as tp


def reveal(guess, answer):
    """Compare a prediction with the engine's answer."""
    if guess is None:
        print("No guess yet. Put a number in the cell above, run it, then run this one again.")
    elif abs(guess - answer) < 0.01:
        print(f"Right, it is {round(answer)}.")
    else:
        print(f"You said {guess}, the engine says {round(answer)}. Read on to see why.")


# %% [markdown]
# ## 1. A picture first
#
# Start from `x = 2` and make `y` in two lines.

# %%
x = tp.tensor(2.0, requires_grad=True)
b = x * 3
y = b * x + b

tp.viz.show(y)

# %% [markdown]
# Read it from left to right. `x` is where we start. Each further box is a **node**: one operation that ran. The arrows
# say which value went where. Boxes and arrows together are the **graph**.
#
# `requires_grad=True` is what switched the recording on. A tensor that you made yourself and that asks for a gradient,
# like `x`, is called a **leaf**.
#
# Count the arrows that leave `x`, and those that leave `b`. Both are used twice. Most of this lesson is about
# what that does.

# %% [markdown]
# ## 2. Nudge it
#
# If `x` grows by 0.001, by how much does `y` grow? No theory yet. Try it.


# %%
def f(x):
    b = x * 3
    return b * x + b


nudge = 0.001
print(f"y moves {(f(2 + nudge) - f(2)) / nudge:.2f} times as far as x")

# %% [markdown]
# That ratio, 15, is the **gradient** of `y` with respect to `x`: the slope of `y`, seen from `x`.
#
# Nudging always works, but it runs the program once more for every number you ask about. The network at the end of
# this lesson has 1,210 of them. `backward()` finds all their gradients in one walk.

# %% [markdown]
# ## 3. Each node knows only its own slope
#
# Look at the product `b · x`, with `b = 6` and `x = 2`. Turn `b` up by 1: the product grows by 2, because `x` is 2.
# Turn `x` up by 1: it grows by 6. Those are the two slopes of this node, one for each arrow that comes in.
#
# | node | value | slope seen from its first input | seen from its second |
# |---|---|---|---|
# | `b = x · 3` | 6 | 3 | (3 is a constant) |
# | `b · x` | 12 | `x` = 2 | `b` = 6 |
# | `y = b·x + b` | 18 | 1 | 1 |
#
# Now walk backward. Start with 1 at `y`, since `y` follows itself exactly. Two rules do the rest:
#
# * along an arrow, **multiply** by its slope;
# * where arrows meet, **add** what they bring.
#
# **Predict.** When both users of `b` have delivered, how much has arrived at `b`?

# %%
guess_at_b = None  # your number here

# %%
(at_b,) = tp.autograd.grad(y, b)
reveal(guess_at_b, at_b.item())

# %% [markdown]
# `y` brings 1 straight to `b`. The product brings 1 · 2. They meet at `b` and are added, which gives 3.
#
# So one step up in `b` moves `y` by 3, as long as `x` is held where it is.

# %% [markdown]
# ## 4. Watch it
#
# `record()` notes everything that happens inside its block. `stepper()` plays it back.

# %%
with tp.viz.record() as trace:
    x = tp.tensor(2.0, requires_grad=True)
    b = x * 3
    y = b * x + b
    y.backward()

tp.viz.stepper(trace)

# %% [markdown]
# Click into the picture, then use the arrow keys. Go forward until you have seen each of these moments:
#
# 1. **Backward starts.** A 1 arrives at `y`.
# 2. **The product is visited.** It sends 2 to `b`, where a 1 is already waiting, and 6 to `x`.
# 3. **`b` is visited only now**, with 1 + 2 = 3. It sends 3 · 3 = 9 to `x`.
# 4. **`x` adds up.** 6 + 9 = 15, the number we found by nudging. It is stored in `x.grad`.
#
# Then go back to the second moment and look at the boxes again. One of them is marked *freed*: section 6 says why.

# %%
print(x.grad)

# %% [markdown]
# Can you take 15 apart? Every path from `y` back to `x` brings the product of its slopes.
#
# | path | slopes | brings |
# |---|---|---|
# | `y` → `b` → `x` | 1 · 3 | 3 |
# | `y` → product → `b` → `x` | 1 · 2 · 3 | 6 |
# | `y` → product → `x` | 1 · 6 | 6 |
# | | | **15** |
#
# This is the chain rule. In a large graph there are far too many paths to list. The walk never lists them: `b`
# joins the first two, 1 + 2, *before* it multiplies by 3.

# %% [markdown]
# ## 5. Break it: why `b` has to wait
#
# Is it really needed to wait? Here is a smaller graph, as plain Python. It stands for `b = a + a` and `c = b + b`,
# so `c` is four times `a`, and every slope is 1.

# %%
came_from = {"c": ["b", "b"], "b": ["a", "a"], "a": []}


def rush(node, grad):
    """Send on what is here, at once, then do the same one node further."""
    for source in came_from[node]:
        grad[source] += grad[node]
        rush(source, grad)


# %% [markdown]
# `rush` multiplies and adds exactly as it should. It only does not wait. The right answer is 4.
#
# **Predict.** What does `rush` leave in `grad["a"]`? Do it on paper.

# %%
guess_rush = None  # your number here

# %%
grad = {"c": 1, "b": 0, "a": 0}
rush("c", grad)
reveal(guess_rush, grad["a"])

# %% [markdown]
# The first arrow from `c` brings 1 to `b`, and `b` at once passes 1 on, twice: `a` holds 2. The second arrow brings
# another 1, so `b` holds 2 and passes 2 on, twice: `a` holds 6. The first 1 was sent a second time.
#
# A node may go **once**, and only when everything that used it has delivered. There is an order that makes sure of
# it: newest first. A node is always newer than the values it was made from, so nothing can arrive late.


# %%
def newest_first(grad):
    """Let every node go once, the newest first."""
    for node in ["c", "b", "a"]:
        for source in came_from[node]:
            grad[source] += grad[node]


grad = {"c": 1, "b": 0, "a": 0}
newest_first(grad)
print("newest first:", grad["a"])

a = tp.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
c.backward()
print("the engine:  ", a.grad)

# %% [markdown]
# Now the other rule. Change `+=` to `=`, so that what arrives later replaces what came before.


# %%
def overwrite(grad):
    """The same order, but the last one to arrive wins."""
    for node in ["c", "b", "a"]:
        for source in came_from[node]:
            grad[source] = grad[node]


grad = {"c": 1, "b": 0, "a": 0}
overwrite(grad)
print("with = in place of +=:", grad["a"])

# %% [markdown]
# Half is lost at `b`, and half of that at `a`. A value used twice must receive two parts.

# %% [markdown]
# ## 6. What stays, and what is used up
#
# `x.grad` is 15. Make the same `y` again and walk backward again, without clearing anything.
#
# **Predict.** What is in `x.grad` afterwards?

# %%
guess_second = None  # your number here

# %%
x = tp.tensor(2.0, requires_grad=True)
for _ in range(2):
    b = x * 3
    y = b * x + b
    y.backward()

reveal(guess_second, x.grad.item())

# %% [markdown]
# The add rule does not stop at the end of a walk: `.grad` adds up over calls. That is useful, since two small
# batches then give the gradient of one large batch. Between training steps it is a mistake, so clear it.

# %%
x.grad = None
b = x * 3
y = b * x + b
y.backward()
print("after clearing:", x.grad)

# %% [markdown]
# And a second `backward()` on the *same* `y`?
#
# To know its slopes, a product keeps its two inputs: they are **saved tensors**. When the walk has passed a node,
# its saved tensors are dropped, because in a large network they fill most of the memory. The node is **freed**.

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    y.backward()

for warning in caught:
    print(f"{warning.category.__name__}: {warning.message}")
print("\nx.grad is still", x.grad)

# %% [markdown]
# The picture survives. Boxes, arrows and shapes are kept, and only the saved tensors are gone.

# %%
tp.viz.show(y)

# %% [markdown]
# Building something new on top of a freed node does not bring its numbers back. The engine refuses, because half a
# gradient would be worse than none.

# %%
try:
    (y * 2).backward()
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")

# %% [markdown]
# The cure is nearly always to compute `y` again. If you do want to walk the same graph twice, say so the first time:
# `y.backward(retain_graph=True)`.

# %% [markdown]
# ## 7. The same with arrays
#
# In a network the values are arrays. Nothing else changes, and the gradient of an array has the array's shape: one
# slope for each of its numbers.
#
# A walk starts with one number for each element of the result. For a single number it was 1. For an array you choose
# the weights: how much each element counts.

# %%
x = tp.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
weights = tp.tensor([1.0, 10.0, 100.0])
y.backward(weights)
print(x.grad)

# %% [markdown]
# Each number has slope `2 · x`, which is 2, 4 and 6, and each is multiplied by its weight.
#
# Written as a table, the slopes look like this. Row *i* says how element *i* of `y` moves with each element of `x`.
# The table is called the **Jacobian**.

# %%
jacobian = tp.tensor([[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
print(weights @ jacobian)

# %% [markdown]
# Weights times table: a **vector-Jacobian product**. This is what a node computes when it is visited. The vector is
# the gradient that arrived, and the product is what it sends on.
#
# No node ever builds the table. Here it was nearly all zeros. For the first layer of our network and eight images it
# would have 131,072 entries, and the product needs none of them.
#
# Next, a row that meets a larger array.

# %%
table = tp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
row = tp.tensor([10.0, 20.0, 30.0], requires_grad=True)
total = (table * row).sum()

tp.viz.show(total)

# %% [markdown]
# `table` has two rows, `row` is a single one. To multiply them, `row` is used once for each row of the table. This
# stretching is called **broadcasting**. (`table` is not drawn: nobody asked for its gradient.)
#
# **Predict.** What is `row.grad[0]`, the slope seen from the 10?

# %%
guess_row = None  # your number here

# %%
total.backward()
reveal(guess_row, row.grad[0].item())

# %% [markdown]
# The 10 was multiplied by 1 and by 4. It was used twice, so it receives two parts: 1 + 4 = 5. It is the add rule of
# section 3 once more.
#
# So the backward of stretching is **summing over the stretched axis**. Forget it, and the gradient comes out with the
# wrong shape.

# %%
print(row.grad, row.grad.shape)

# %% [markdown]
# One more node and we have a network: the matrix product `z = x @ w`. You can nearly guess its rule from the shapes.

# %%
x = tp.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
w = tp.tensor([[1.0], [10.0]], requires_grad=True)
z = x @ w
arrived = tp.tensor([[1.0], [0.0], [2.0]])
z.backward(arrived)

print("x", x.shape, " arrived", arrived.shape, " w", w.shape)
print("w.grad:     ", w.grad.tolist())
print("x.T @ arrived:", (x.T @ arrived).tolist())

# %% [markdown]
# `w.grad` must have the shape of `w`, here 2 by 1. Of all products of `x` (3 by 2) and what arrived (3 by 1), only
# `x.T @ arrived` fits. The sum inside that product is over the rows of `x`: each row used `w`, and each sends its part.

# %% [markdown]
# ## 8. The same on real data
#
# Handwritten digits, 8 by 8 pixels each. The network has two layers: 64 pixels, 16 hidden numbers, 10 scores, one
# for each digit.

# %%
train, test = tp.datasets.digits()
images, labels = train.tensors
print(images.shape, labels.shape)

tp.manual_seed(0)
model = tp.nn.Sequential(tp.nn.Linear(64, 16), tp.nn.ReLU(), tp.nn.Linear(16, 10))
print(sum(p.numel() for p in model.parameters()), "numbers to learn")

# %% [markdown]
# Eight images go in. `cross_entropy` turns the ten scores into probabilities and measures how badly they miss the
# label. The picture first, as before.

# %%
batch, wanted = images[:8], labels[:8]
loss = tp.nn.functional.cross_entropy(model(batch), wanted)

tp.viz.show(loss)

# %% [markdown]
# Five operations make this loss, where three made `y`. Each `linear` is a matrix product and the addition of a bias, in
# one node. The four leaves are the numbers to learn: two weights and two biases.
#
# Now one whole training step, recorded. After the backward walk the optimizer `SGD` moves each number a little way
# against its gradient.

# %%
optimizer = tp.optim.SGD(model.parameters(), lr=0.5)

with tp.viz.record() as trace:
    loss = tp.nn.functional.cross_entropy(model(batch), wanted)
    loss.backward()
    optimizer.step()

print(f"loss {loss.item():.3f}")
tp.viz.stepper(trace)

# %% [markdown]
# The walk is the same one. While you step, look for:
#
# 1. the gradient that arrives at a node: it always has the shape of the value the node made;
# 2. the first `linear`: 8×16 numbers arrive, and 16 go to its bias, which was stretched over eight images;
# 3. the last phase, where the optimizer takes `lr` times the gradient from each parameter.
#
# There the very first weight does not move at all. It belongs to the top left pixel, and that is blank in all eight
# images. A weight that meets only zeros has slope zero.
#
# **Predict.** The bias of the last layer has ten numbers, one for each digit, so its gradient has ten too. What do
# those ten add up to? One of them is printed for you. (Hint: turn all ten scores up by the same amount. What happens to
# the probabilities?)

# %%
last_bias = model[2].bias
print("for the digit 0:", round(last_bias.grad[0].item(), 3))
guess_sum = None  # your number here

# %%
reveal(guess_sum, last_bias.grad.sum().item())

# %% [markdown]
# Zero. If all scores rise together no probability changes, so the loss does not move. What the right digits gain, the
# wrong ones lose.
#
# Do you trust the other 1,200 numbers? Pick the largest gradient of the first layer and nudge its weight, as in
# section 2. A nudge up and a nudge down together give a better slope than one nudge alone.

# %%
tp.manual_seed(0)
model = tp.nn.Sequential(tp.nn.Linear(64, 16), tp.nn.ReLU(), tp.nn.Linear(16, 10))


def loss_now():
    return tp.nn.functional.cross_entropy(model(batch), wanted)


loss_now().backward()
weight = model[0].weight
place = divmod(weight.grad.abs().argmax().item(), 64)

with tp.no_grad():
    start = weight[place].item()
    weight[place] = start + 0.01
    up = loss_now().item()
    weight[place] = start - 0.01
    down = loss_now().item()
    weight[place] = start

print(f"by nudging:  {(up - down) / 0.02:.4f}")
print(f"by backward: {weight.grad[place].item():.4f}")

# %% [markdown]
# `no_grad()` switches the recording off, so that we may change a leaf by hand.
#
# At last, let it learn. Clear, walk forward, walk backward, step; sixty times.

# %%
optimizer = tp.optim.SGD(model.parameters(), lr=0.5)
test_images, test_labels = test.tensors


def accuracy():
    with tp.no_grad():
        found = model(test_images).argmax(dim=1)
    return (found == test_labels).to(tp.float32).mean().item()


print(f"before: {accuracy():.0%} right")
for number in range(60):
    optimizer.zero_grad()
    loss = tp.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    if number % 10 == 0:
        print(f"  loss {loss.item():.2f}")
print(f"after:  {accuracy():.0%} right on digits it has never seen")

# %% [markdown]
# An experiment to end with. Set `lr=1.0` and run the last two code cells again. Then take out the `zero_grad()` line
# and run both once more. At first the loss falls faster, then it jumps about and does not settle. Each step now follows
# the *sum* of all gradients so far, old ones included: a push that never fades. With a brake added this is called
# momentum, and optimizers use it on purpose.

# %% [markdown]
# ## In five lines
#
# 1. Every operation leaves a node that knows its own slopes.
# 2. Backward multiplies along arrows and adds where they meet.
# 3. A node goes once, when all its users have delivered: newest first.
# 4. A node computes a vector-Jacobian product; stretched axes are summed.
# 5. `.grad` adds up until you clear it; saved tensors are dropped as the walk passes.
#
# ## In PyTorch
#
# Replace `import tensorplay as tp` by `import torch as tp` and sections 2 to 8 read the same, apart from the pictures
# and the data set. `requires_grad`, `backward()`, `.grad`, `no_grad()`, `retain_graph` and the optimizers have the same
# names and mean the same. Two differences are worth knowing:
#
# * PyTorch raises an error on the second `backward()` of a freed graph. We warn and change nothing.
# * PyTorch calls a node `MulBackward0`. We say `MulBackward`.
#
# ## Your turn
#
# Open `exercise.py` next to this file. You write the rules of three nodes: a product that stretches, `tanh`, and the
# matrix product. Then run `tensorplay check` in that folder. With your three rules one can train a network.
