"""Every public name of autograd with its signature, as data: a module or a class below `tensorplay`, and what it has.

A name without parentheses is an attribute; one with ` = value` has that value. `t`, `f` and `b` are short for PyTorch's
words of these arguments (see `SHORT`), and what a starred argument is called does not matter.
"""

from __future__ import annotations

SHORT = {"t": {"tensor"}, "f": {"hook"}, "b": {"requires_grad", "value"}}

_MODES = """
no_grad()
enable_grad()
set_grad_enabled(mode)
inference_mode(mode=True)
is_grad_enabled()
is_inference_mode_enabled()
"""

_ANOMALY = """
detect_anomaly(check_nan=True)
set_detect_anomaly(mode, check_nan=True)
"""

NAMES = {
    "": _MODES
    + """
is_anomaly_enabled()
is_anomaly_check_nan_enabled()
vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)
""",
    "autograd": _MODES
    + _ANOMALY
    + """
backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None)
grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None, \
is_grads_batched=False, materialize_grads=False)
set_multithreading_enabled(mode)
gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, \
check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, \
check_forward_ad=False, check_backward_ad=True, fast_mode=False, masked=None)
gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False, \
raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, \
check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False)
jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy='reverse-mode')
hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy='reverse-mode')
vjp(func, inputs, v=None, create_graph=False, strict=False)
jvp(func, inputs, v=None, create_graph=False, strict=False)
vhp(func, inputs, v=None, create_graph=False, strict=False)
hvp(func, inputs, v=None, create_graph=False, strict=False)
""",
    "autograd.anomaly": _ANOMALY,
    "autograd.function": "once_differentiable",
    "autograd.Function": """
forward(ctx, *args)
setup_context(ctx, inputs, output)
backward(ctx, *grads)
vjp(ctx, *grads)
jvp(ctx, *tangents)
vmap(info, in_dims, *args)
apply(*args)
generate_vmap_rule = False
""",
    "autograd.graph": """
Node
GradientEdge(node, output_nr, ownership_token=None)
get_gradient_edge(t)
saved_tensors_hooks(pack_hook, unpack_hook)
save_on_cpu(pin_memory=False, device_type='cuda')
disable_saved_tensors_hooks(error_message)
register_multi_grad_hook(tensors, fn, *, mode='all')
allow_mutation_on_saved_tensors()
increment_version(tensor)
""",
    "autograd.functional": """
jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy='reverse-mode')
hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy='reverse-mode')
vjp(func, inputs, v=None, create_graph=False, strict=False)
jvp(func, inputs, v=None, create_graph=False, strict=False)
vhp(func, inputs, v=None, create_graph=False, strict=False)
hvp(func, inputs, v=None, create_graph=False, strict=False)
""",
    "autograd.forward_ad": """
dual_level()
make_dual(tensor, tangent, *, level=None)
unpack_dual(tensor, *, level=None)
UnpackedDualTensor(primal, tangent)
enter_dual_level()
exit_dual_level(*, level=None)
""",
    "func": """
grad(func, argnums=0, has_aux=False)
grad_and_value(func, argnums=0, has_aux=False)
vjp(func, *primals, has_aux=False)
jvp(func, primals, tangents, *, strict=False, has_aux=False)
linearize(func, *primals)
jacrev(func, argnums=0, *, has_aux=False, chunk_size=None)
jacfwd(func, argnums=0, has_aux=False, *, randomness='error')
hessian(func, argnums=0)
vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)
functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False)
stack_module_state(models)
""",
    "errors": """
FreedGraphError
FreedGraphWarning
""",
    # of objects
    "Tensor": """
backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)
grad
grad_fn
is_leaf
requires_grad
requires_grad_(b=True)
retain_grad()
retains_grad
register_hook(f)
register_post_accumulate_grad_hook(f)
detach()
detach_()
data
_version
_base
_is_view()
is_inference()
output_nr
""",
    "leaf": "grad_dtype",
    "node": """
name()
next_functions
metadata
register_hook(fn)
register_prehook(fn)
""",
    "context": """
save_for_backward(*t)
save_for_forward(*t)
saved_tensors
needs_input_grad
mark_dirty(*t)
mark_non_differentiable(*t)
set_materialize_grads(b)
""",
    "handle": "remove()",
}

NOT_IN_PYTORCH = {
    "autograd.anomaly.", "autograd.jacobian", "autograd.hessian", "autograd.vjp", "autograd.jvp", "autograd.vhp",
    "autograd.hvp", "autograd.is_grad_enabled", "autograd.is_inference_mode_enabled", "errors.",
}  # fmt: skip
"""Names, or with a point at the end modules, that PyTorch does not have or has elsewhere."""

OF_NO_USE_IN_TEACHING = {
    "autograd.Variable", "autograd.function.NestedIOFunction", "autograd.function.InplaceFunction", "autograd.profiler",
    "autograd.graph.region_activation_memory_budget", "func.functionalize", "func.rearrange", "func.debug_unwrap",
    "func.replace_all_batch_norm_modules_", "func.chunk_vmap",
}  # fmt: skip
"""Documented by PyTorch, and left out on purpose."""
