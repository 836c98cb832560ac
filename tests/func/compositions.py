# ruff: noqa: E501 (a table: one program a line)
"""Programs of nested transforms, the same text for TensorPlay and PyTorch.

A row's code may use `lib`, `F` (the module of transforms), `vmap`, `fwd` (forward_ad), the plain tensors x, y (3,),
A, B (4, 3), i (4,) of positions, the tracked tensor w (3,), and the functions below. What it leaves in `out`, a
tensor or a nest of them, is compared, and whether it requires a gradient; if it does, so is that gradient by w.
"""

from __future__ import annotations

FUNCTIONS = """
def f(a): return (a * a * a).sum() + (a.tanh() * a.exp()).sum()
def g(a): return a.exp() * a.softmax(0) + a * a
def h(a, b): return ((a * b).tanh() @ b).exp() / (1 + a @ a)
def k(a): return a.relu() * a.abs() + a.sigmoid().sqrt() + (a * a + 1).log()
def m(a): return (a.reshape(3, 1) @ a.reshape(1, 3)).tanh()[1:].sum(0)
def pick(a): return a.max(0)[0] * a.mean() - a.amin()
def loss(p, row): return ((row @ p) ** 2).sum() + (p * p).mean()
"""

ROWS = r"""
grad                              | out = F.grad(f)(x)
grad of grad                      | out = F.grad(lambda a: F.grad(f)(a).sum())(x)
grad of grad of grad              | out = F.grad(lambda a: F.grad(lambda b: F.grad(f)(b).sum())(a).sum())(x)
grad of tracked                   | out = F.grad(f)(w)
grad with closure                 | out = F.grad(lambda a: (a * w).exp().sum())(x)
grad with closure of itself       | out = F.grad(lambda a: (a * w).exp().sum())(w)
grad constant in w                | out = F.grad(lambda a: (a * a).sum() + w.sum())(x)
grad_and_value                    | out = F.grad_and_value(lambda a: h(a, w))(x)
two arguments                     | out = F.grad(h, argnums=(0, 1))(x, y)
negative argnum                   | out = F.grad(h, argnums=-1)(x, y)
aux                               | out = F.grad(lambda a: (f(a), {'a': g(a), 'w': w * 2}), has_aux=True)(x)
aux and value                     | out = F.grad_and_value(lambda a: (f(a), g(a)), has_aux=True)(x)
nest of arguments                 | out = F.grad(lambda d: h(d['a'], d['b'][0]))({'a': x, 'b': [y]})
vmap                              | out = vmap(g)(A)
vmap in_dims 1                    | out = vmap(g, in_dims=1, out_dims=1)(A)
vmap out_dims -1                  | out = vmap(g, out_dims=-1)(A)
vmap of closure                   | out = vmap(lambda a: a * w)(A)
vmap over tracked                 | out = vmap(lambda c: c * x)(w)
vmap of matmul                    | out = vmap(lambda a: (a.reshape(3, 1) @ a.reshape(1, 3)) @ w)(A)
vmap of reductions                | out = vmap(pick)(A)
vmap of constant                  | out = vmap(lambda a: w * 2)(A)
vmap of nest                      | out = vmap(lambda d: {'s': d['a'] + d['b'], 't': (d['a'], d['b'].sum())})({'a': A, 'b': B})
vmap of index                     | out = vmap(lambda a, j: a[j] * w)(A, i)
vmap of gather                    | out = vmap(lambda a, j: a.gather(0, j))(A, lib.tensor([[0, 1], [2, 2], [1, 0], [0, 0]]))
vmap of where                     | out = vmap(lambda a: lib.where(a > 0, a * w, a.exp()))(A)
vmap of comparison                | out = vmap(lambda a: (a > a.mean()).float() + (a == a.amax()).float())(A)
vmap of all any                   | out = vmap(lambda a: (a > 0).all().float() + (a > 1).any().float() * 2)(A)
vmap chunks                       | out = vmap(lambda a: a * w, chunk_size=3)(A)
vmap of vmap                      | out = vmap(vmap(lambda a, b: a * b * w.sum(), in_dims=(0, None)), in_dims=(None, 0))(x, y)
vmap of vmap 2                    | out = vmap(vmap(lambda a: a.exp() * w.sum()), in_dims=1, out_dims=1)(A)
vmap of vmap, inner constant      | out = vmap(lambda a: vmap(lambda b: a * 2)(x))(A)
vmap of vmap, outer constant      | out = vmap(lambda a: vmap(lambda b: b * w)(x))(A)
vmap of grad                      | out = vmap(F.grad(f))(A)
per-sample gradients              | out = vmap(F.grad(loss), in_dims=(None, 0))(x, A)
per-sample gradients, tracked     | out = vmap(F.grad(loss), in_dims=(None, 0))(w, A)
vmap of grad with closure         | out = vmap(F.grad(lambda a: (a * w).exp().sum()))(A)
vmap of grad of closed-over       | out = vmap(lambda a: F.grad(lambda c: (c * a).exp().sum())(x))(A)
vmap of grad of tracked           | out = vmap(lambda a: F.grad(lambda c: (c * a).exp().sum())(w))(A)
vmap of grad of grad              | out = vmap(lambda a: F.grad(lambda b: F.grad(f)(b).sum())(a))(A)
vmap of grad that is constant     | out = vmap(lambda a: F.grad(lambda c: (c * w).sum())(x) * a)(A)
grad of vmap                      | out = F.grad(lambda a: vmap(lambda r: h(r, a))(A).sum())(x)
grad of vmap over it              | out = F.grad(lambda a: vmap(g)(a).sum())(A)
grad of vmap of grad              | out = F.grad(lambda p: vmap(lambda r: F.grad(loss)(p, r))(A).exp().sum())(x)
grad of vmap of grad, constants   | out = F.grad(lambda p: vmap(F.grad(lambda a: (p * a).sum()))(A).exp().sum())(x)
grad of vmap of grad of p         | out = F.grad(lambda p: vmap(lambda r: F.grad(lambda q: (p * q * r).sum())(r))(A).exp().sum())(x)
vmap of grad of vmap of grad      | out = vmap(lambda s: F.grad(lambda p: vmap(lambda r: F.grad(loss)(p, r * s))(A).tanh().sum())(x))(y)
jvp                               | out = F.jvp(g, (x,), (y,))
jvp of k                          | out = F.jvp(k, (x,), (y,))
jvp of m                          | out = F.jvp(m, (x,), (y,))
jvp of two                        | out = F.jvp(h, (x, y), (y, x))
jvp with closure                  | out = F.jvp(lambda a: g(a * w), (x,), (y,))
jvp at tracked                    | out = F.jvp(g, (w,), (y,))
jvp along tracked                 | out = F.jvp(g, (x,), (w,))
jvp of constant                   | out = F.jvp(lambda a: w * 2, (x,), (y,))
jvp of nest                       | out = F.jvp(lambda d: {'p': d['a'] * d['b'], 'q': [d['a'].sum()]}, ({'a': x, 'b': y},), ({'a': y, 'b': x},))
jvp aux                           | out = F.jvp(lambda a: (g(a), a * w), (x,), (y,), has_aux=True)
jvp of jvp                        | out = F.jvp(lambda a: F.jvp(g, (a,), (y,))[1], (x,), (y,))
jvp of jvp, other directions      | out = F.jvp(lambda a: F.jvp(g, (a,), (a * w,))[1], (x,), (y,))
jvp of jvp, closure               | out = F.jvp(lambda a: F.jvp(lambda b: g(a * b), (y,), (x,))[1], (x,), (y,))
jvp of jvp of jvp                 | out = F.jvp(lambda a: F.jvp(lambda b: F.jvp(g, (b,), (y,))[1], (a,), (x,))[1], (x,), (y,))
perturbation confusion, forward   | out = F.jvp(lambda a: a * F.jvp(lambda b: a + b, (y,), (x,))[1], (x,), (y,))
perturbation confusion, reverse   | out = F.grad(lambda a: a * F.grad(lambda b: a + b)(x[0]))(x[1])
perturbation confusion, mixed     | out = F.jvp(lambda a: a * F.grad(lambda b: a * b * b)(x[0]), (x[1],), (y[1],))
perturbation confusion, mixed 2   | out = F.grad(lambda a: a * F.jvp(lambda b: a * b * b, (x[0],), (y[0],))[1])(x[1])
forward over reverse              | out = F.jvp(F.grad(f), (x,), (y,))
reverse over forward              | out = F.grad(lambda a: F.jvp(f, (a,), (y,))[1])(x)
forward over reverse, tracked     | out = F.jvp(F.grad(lambda a: h(a, w)), (x,), (y,))
reverse over forward, tracked     | out = F.grad(lambda a: F.jvp(lambda b: h(b, w), (a,), (y,))[1])(x)
reverse over forward by direction | out = F.grad(lambda t: F.jvp(g, (x,), (t,))[1].exp().sum())(y)
vmap of jvp                       | out = vmap(lambda a, t: F.jvp(g, (a,), (t,)))(A, B)
vmap of jvp of constant point     | out = vmap(lambda t: F.jvp(g, (x,), (t,)))(B)
vmap of jvp of constant direction | out = vmap(lambda a: F.jvp(g, (a,), (w,))[1])(A)
jvp of vmap                       | out = F.jvp(vmap(g), (A,), (B,))
jvp of vmap with closure          | out = F.jvp(lambda a: vmap(lambda r: h(r, a))(A), (x,), (y,))
jvp of vmap of grad               | out = F.jvp(lambda p: vmap(lambda r: F.grad(loss)(p, r))(A), (x,), (y,))
vmap of jvp of grad               | out = vmap(lambda r, t: F.jvp(F.grad(lambda p: loss(p, r)), (w,), (t,))[1])(A, B)
grad of jvp of vmap               | out = F.grad(lambda a: F.jvp(lambda b: vmap(lambda r: h(r, b))(A).sum(), (a,), (y,))[1])(x)
grad of vmap of jvp               | out = F.grad(lambda a: vmap(lambda t: F.jvp(g, (a,), (t,))[1])(B).exp().sum())(x)
vjp                               | out = F.vjp(g, x)[1](y)
vjp value                         | out = F.vjp(g, x)[0]
vjp tracked                       | out = F.vjp(lambda a: g(a * w), x)[1](y)
vjp along tracked                 | out = F.vjp(g, x)[1](w)
vjp of two                        | out = F.vjp(lambda a, b: {'s': a * b, 't': (a + b).sum()}, x, y)[1]({'s': x, 't': lib.tensor(2.0, dtype=lib.float64)})
vjp again                         | _, p = F.vjp(g, x); out = (p(x), p(y))
vjp of constant                   | out = F.vjp(lambda a: y * 2, x)[1](y)
vjp aux                           | v, p, aux = F.vjp(lambda a: (g(a), a * w), x, has_aux=True); out = (v, p(y), aux)
vmap of vjp's function            | _, p = F.vjp(g, x); out = vmap(p)(B)
vmap of vjp's function, tracked   | _, p = F.vjp(lambda a: g(a * w), x); out = vmap(p)(B)
vjp's function called inside vmap | _, p = F.vjp(g, w); out = vmap(lambda t: p(t * x)[0] * t)(B)
vjp inside vmap                   | out = vmap(lambda a, t: F.vjp(lambda b: g(b * w), a)[1](t)[0])(A, B)
grad of vjp's function            | _, p = F.vjp(g, x); out = F.grad(lambda t: p(t)[0].exp().sum())(y)
grad through vjp                  | out = F.grad(lambda a: F.vjp(g, a)[1](y)[0].sum())(x)
grad of vmap of vjp in it         | out = F.grad(lambda a: vmap(lambda t: F.vjp(lambda b: g(a * b), t)[1](y)[0])(B).sum())(x)
jvp of vjp's function             | _, p = F.vjp(g, x); out = F.jvp(lambda t: p(t)[0], (y,), (x,))
jvp through vjp                   | out = F.jvp(lambda a: F.vjp(g, a)[1](y)[0], (x,), (y,))
jacrev                            | out = F.jacrev(g)(x)
jacrev tracked                    | out = F.jacrev(lambda a: g(a * w))(x)
jacrev at tracked                 | out = F.jacrev(g)(w)
jacrev chunks                     | out = F.jacrev(g, chunk_size=2)(x)
jacrev of nest                    | out = F.jacrev(lambda a, b: {'s': a * b, 't': (a * b).sum()}, argnums=(0, 1))(x, y)
jacrev of matrix                  | out = F.jacrev(lambda a: a @ w)(A)
jacrev aux                        | out = F.jacrev(lambda a: (g(a), a * w), has_aux=True)(x)
jacfwd                            | out = F.jacfwd(g)(x)
jacfwd tracked                    | out = F.jacfwd(lambda a: g(a * w))(x)
jacfwd at tracked                 | out = F.jacfwd(g)(w)
jacfwd of nest                    | out = F.jacfwd(lambda a, b: {'s': a * b, 't': (a * b).sum()}, argnums=(0, 1))(x, y)
jacfwd of matrix                  | out = F.jacfwd(lambda a: a @ w)(A)
jacfwd aux                        | out = F.jacfwd(lambda a: (g(a), a * 2), has_aux=True)(x)
jacfwd of m                       | out = F.jacfwd(m)(x)
jacrev of m                       | out = F.jacrev(m)(x)
hessian                           | out = F.hessian(f)(x)
hessian of two                    | out = F.hessian(h, argnums=(0, 1))(x, y)
hessian with closure              | out = F.hessian(lambda a: h(a, w))(x)
hessian at tracked                | out = F.hessian(f)(w)
jacfwd of jacrev                  | out = F.jacfwd(F.jacrev(g))(x)
jacrev of jacfwd                  | out = F.jacrev(F.jacfwd(g))(x)
jacfwd of jacfwd                  | out = F.jacfwd(F.jacfwd(g))(x)
jacrev of jacrev                  | out = F.jacrev(F.jacrev(g))(x)
third derivatives                 | out = F.jacfwd(F.hessian(f))(x)
vmap of jacrev                    | out = vmap(F.jacrev(g))(A)
vmap of jacfwd                    | out = vmap(F.jacfwd(g))(A)
vmap of hessian                   | out = vmap(F.hessian(f))(A)
vmap of hessian with closure      | out = vmap(F.hessian(lambda a: h(a, w)))(A)
grad of hessian                   | out = F.grad(lambda a: F.hessian(f)(a).exp().sum())(x)
grad of vmap of jacrev            | out = F.grad(lambda p: vmap(F.jacrev(lambda a: g(a * p)))(A).tanh().sum())(x)
grad of vmap of jacfwd            | out = F.grad(lambda p: vmap(F.jacfwd(lambda a: g(a * p)))(A).tanh().sum())(x)
hessian of vmap                   | out = F.hessian(lambda p: vmap(lambda r: loss(p, r))(A).tanh().sum())(x)
linearize                         | v, p = F.linearize(g, x); out = (v, p(y), p(x))
linearize of two                  | v, p = F.linearize(h, x, y); out = (v, p(y, x))
linearize of nest                 | v, p = F.linearize(lambda d: {'s': d['a'] * d['b']}, {'a': x, 'b': y}); out = (v, p({'a': y, 'b': x}))
linearize, vmap of it             | v, p = F.linearize(g, x); out = vmap(p)(B)
no_grad around grad               | \
with lib.no_grad(): out = F.grad(f)(w)
no_grad around closure            | \
with lib.no_grad(): out = F.grad(lambda a: (a * w).exp().sum())(x)
no_grad around vmap of grad       | \
with lib.no_grad(): out = vmap(F.grad(lambda a: (a * w).exp().sum()))(A)
no_grad around jacrev             | \
with lib.no_grad(): out = F.jacrev(lambda a: g(a * w))(x)
no_grad around hessian            | \
with lib.no_grad(): out = F.hessian(lambda a: h(a, w))(x)
no_grad around jvp                | \
with lib.no_grad(): out = F.jvp(lambda a: g(a * w), (x,), (y,))
no_grad around grad of grad       | \
with lib.no_grad(): out = F.grad(lambda a: F.grad(lambda b: h(a, b) * w.sum())(a).sum())(x)
no_grad inside grad               | \
def inner(a):\
    with lib.no_grad(): c = a * a\
    return (c * a).sum()\
out = F.grad(inner)(x)
no_grad inside vmap of grad       | \
def inner(a):\
    with lib.no_grad(): c = a * a\
    return (c * a).sum()\
out = vmap(F.grad(inner))(A)
no_grad inside jvp                | \
def inner(a):\
    with lib.no_grad(): c = a * a\
    return (c * a).sum()\
out = F.jvp(inner, (x,), (y,))
detach inside grad                | out = F.grad(lambda a: (a.detach() * a).sum())(x)
detach inside vmap of grad        | out = vmap(F.grad(lambda a: (a.detach() * a * w).sum()))(A)
detach in vmap, tracked outside   | out = vmap(lambda a: (a * w).detach() * a)(A)
detach in vmap, differentiated    | out = F.grad(lambda c: vmap(lambda a: (a * c).detach() * a * c)(A).sum())(x)
detach inside jvp                 | out = F.jvp(lambda a: a.detach() * a, (x,), (y,))
autograd.grad inside vmap         | z = g(w); out = vmap(lambda t: lib.autograd.grad(z, w, t, retain_graph=True)[0])(B)
autograd.grad in vmap, recorded   | z = g(w); out = vmap(lambda t: lib.autograd.grad(z, w, t, create_graph=True)[0])(B)
in place, whole                   | out = vmap(lambda a: (a * 2).add_(1).mul_(w.detach()))(A)
in place under grad               | out = F.grad(lambda a: (a * 2).mul_(a).exp_().sum())(x)
in place under vmap of grad       | out = vmap(F.grad(lambda a: (a * 2).mul_(a).exp_().sum()))(A)
in place under jvp                | out = F.jvp(lambda a: (a * 2).mul_(a).exp_(), (x,), (y,))
in place on a part, vmap of grad  | \
def inner(a):\
    b = a * 2; b[0] = a[1] * w[0]; b[1:].mul_(a[0]); return (b * a).sum()\
out = vmap(F.grad(inner))(A)
in place on a part, jvp of grad   | \
def inner(a):\
    b = a * 2; b[0] = a[1] * w[0]; b[1:].mul_(a[0]); return (b * a).sum()\
out = F.jvp(F.grad(inner), (x,), (y,))
in place on a part, grad of vmap  | \
def inner(a, c):\
    b = a * c; b[0] = a[1] * w[0]; b[1:].mul_(a[0]); return (b * a).sum()\
out = F.grad(lambda c: vmap(lambda a: inner(a, c))(A).sum())(x)
in place into a new tensor, jvp   | \
def inner(a):\
    z = lib.zeros(3, dtype=lib.float64); z[0] = a[0]; z[1:].add_(a[1] * w[0]); return z * a\
out = F.jvp(inner, (x,), (y,))
in place into a new tensor, grad of jvp | \
def inner(a):\
    z = lib.zeros(3, dtype=lib.float64); z[0] = a[0]; z[1:].add_(a[1] * w[0]); return (z * a).sum()\
out = F.grad(lambda a: F.jvp(inner, (a,), (y,))[1])(x)
in place into a new tensor, hessian | \
def inner(a):\
    z = lib.zeros(3, dtype=lib.float64); z += a * w; return (z * z * a).sum()\
out = F.jacfwd(F.grad(inner))(x)
no_grad around in place           | \
def inner(a):\
    b = a * 2; b[0] = a[1] * 3; b[1:].mul_(a[0]); return (b * a).sum()\
with lib.no_grad(): out = vmap(F.grad(inner))(A)
inference mode                    | \
with lib.inference_mode(): out = (F.grad(f)(x), F.hessian(f)(x), vmap(F.grad(f))(A), F.jvp(g, (x,), (y,)))
integers                          | out = vmap(lambda j: (j * 2 + 1) // 2)(i)
cross-entropy                     | out = vmap(F.grad(lambda a, t: lib.nn.functional.cross_entropy(a, t)))(A, i)
forward_ad                        | \
with fwd.dual_level():\
    d = fwd.make_dual(x, y)\
    out = tuple(fwd.unpack_dual(m(d * w).exp()))
forward_ad over reverse           | \
with fwd.dual_level():\
    d = fwd.make_dual(w, y)\
    (s,) = lib.autograd.grad(f(d), w)\
    out = tuple(fwd.unpack_dual(s))
forward_ad over reverse, recorded | \
with fwd.dual_level():\
    d = fwd.make_dual(w, y)\
    (s,) = lib.autograd.grad(f(d), w, create_graph=True)\
    out = tuple(fwd.unpack_dual(s))
forward_ad, other leaf            | \
with fwd.dual_level():\
    d = fwd.make_dual(x, y)\
    (s,) = lib.autograd.grad((d * w).exp().sum(), w)\
    out = tuple(fwd.unpack_dual(s))
forward_ad and func.grad          | \
with fwd.dual_level():\
    out = tuple(fwd.unpack_dual(F.grad(f)(fwd.make_dual(x, y))))
"""


def rows() -> dict[str, str]:
    """Name -> code. A line that ends in a backslash goes on in the next."""
    found = {}
    for line in ROWS.strip().replace("\\\n", "\0").splitlines():
        name, _, code = line.partition("|")
        found[name.strip()] = code.replace("\0", "\n").strip()
    return found
