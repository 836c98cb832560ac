"""Wrong uses of modules, optimizers, data and transforms: what is called, the error's class, a phrase of its message.

A use is an expression that Python reads in both libraries. Its names are made by `test_wrong_uses.names`: `L` is the
library, `w` a leaf of one element, `ds` a dataset of two samples. Where the two libraries differ on purpose, the
last entry says what PyTorch does.
"""

from __future__ import annotations

from typing import NamedTuple


class Use(NamedTuple):
    """One wrong use. `elsewhere` is "" if PyTorch raises one of the classes that ours is a subclass of."""

    code: str
    error: str
    phrase: str
    elsewhere: str = ""


ITERABLE = "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
ONLY = "optimizer can only optimize Tensors, but one of the params is "


def loading(state: str) -> str:
    """An optimizer with one parameter, and a saved state with these states."""
    return f"optim.SGD([w]).load_state_dict({{'state': {state}, 'param_groups': [{{'params': [0]}}]}})"


# fmt: off
OPTIMIZERS = [
    Use("optim.SGD(w, lr=0.1)", "OptimizerTypeError", ITERABLE + "Tensor: write [tensor]"),
    Use("optim.SGD(None, lr=0.1)", "OptimizerTypeError", ITERABLE + "NoneType"),
    Use("optim.SGD(3, lr=0.1)", "OptimizerTypeError", ITERABLE + "int"),
    Use("optim.SGD(nn.Linear(1, 1), lr=0.1)", "OptimizerTypeError", "got Linear: write model.parameters()"),
    Use("optim.SGD(nn.Linear(1, 1).parameters, lr=0.1)", "OptimizerTypeError", "got method: call it, as in model.p"),
    Use("optim.SGD({'params': [w]}, lr=0.1)", "OptimizerTypeError", ITERABLE + "dict"),
    Use("optim.SGD([], lr=0.1)", "HyperparameterError", "optimizer got an empty parameter list"),
    Use("optim.SGD([3.0], lr=0.1)", "OptimizerTypeError", ONLY + "float"),
    Use("optim.SGD([None], lr=0.1)", "OptimizerTypeError", ONLY + "NoneType"),
    Use("optim.SGD([w, {'params': [w]}], lr=0.1)", "OptimizerTypeError", ONLY + "dict"),
    Use("optim.SGD([{'params': [w]}, w], lr=0.1)", "OptimizerTypeError", "param_group must be a dict"),
    Use("optim.SGD([{'lr': 1}], lr=0.1)", "ParamGroupError", "'params' is missing"),
    Use("optim.SGD([{'params': {w}}], lr=0.1)", "OptimizerTypeError", "need to be organized in ordered collections"),
    Use("optim.SGD([{'params': None}], lr=0.1)", "OptimizerTypeError", "'params' of a group should be"),
    Use("optim.SGD([w, w], lr=0.1)", "HyperparameterError", "more than one parameter group, or twice", "warns"),
    Use("optim.SGD([{'params': [w]}, {'params': [w]}])", "HyperparameterError", "appear in more than one parameter g"),
    Use("optim.SGD([w * 2], lr=0.1)", "HyperparameterError", "can't optimize a non-leaf Tensor"),
    Use("optim.SGD([w], lr=-1)", "HyperparameterError", "Invalid learning rate: -1"),
    Use("optim.SGD([w], lr='a')", "HyperparameterTypeError", "Invalid learning rate: 'a' (str). Expected a number"),
    Use("optim.SGD([w], lr=None)", "HyperparameterTypeError", "Invalid learning rate: None"),
    Use("optim.SGD([w], lr=L.ones(2))", "HyperparameterError", "a Tensor must be 1-element, got shape [2]"),
    Use("optim.SGD([w], momentum=None)", "HyperparameterTypeError", "Invalid momentum value: None"),
    Use("optim.SGD([w], nesterov=True)", "HyperparameterError", "Nesterov momentum requires a momentum"),
    Use("optim.Adam([w], betas=0.9)", "BetasError", "Expected two numbers, as in betas=(0.9, 0.999)"),
    Use("optim.Adam([w], betas=(0.9,))", "BetasError", "Invalid betas: (0.9,)"),
    Use("optim.Adam([w], betas=('a', 0.9))", "HyperparameterTypeError", "Invalid beta parameter at index 0: 'a'"),
    Use("optim.Adam([w], eps='x')", "HyperparameterTypeError", "Invalid epsilon value: 'x'"),
    Use("optim.SGD([w]).add_param_group(3)", "OptimizerTypeError", "param_group must be a dict"),
    Use("optim.SGD([w]).add_param_group({'lr': 1})", "ParamGroupError", "got the keys ['lr']"),
    Use("optim.SGD([w]).add_param_group({'params': [w]})", "HyperparameterError", "appear in more than one"),
    Use("optim.Optimizer([w], 3)", "DefaultsError", "defaults should be a dict of settings"),
    Use("optim.SGD([w], lr=0.1).step(3)", "NotCallableError", "optimizer.step: 'int' object is not callable"),
    Use("optim.SGD([w]).load_state_dict(3)", "StateDictTypeError", "expected state_dict to be dict-like, got int"),
    Use("optim.SGD([w]).load_state_dict({})", "StateDictKeyError", "has no ['param_groups', 'state']"),
    Use("optim.SGD([w]).load_state_dict({'state': {}, 'param_groups': []})", "StateDictError", "doesn't match"),
    Use("optim.SGD([w]).load_state_dict({'state': {}, 'param_groups': [{}]})", "StateDictKeyError", "no 'params'"),
    Use("optim.SGD([w]).load_state_dict({'state': {}, 'param_groups': 3})", "StateDictTypeError", "a list of dicts"),
    Use(loading("3"), "StateDictTypeError", "'state' to be dict-l"),
    Use(loading("{5: {}}"), "StateDictKeyError",
        "a state for parameter 5, but its groups name the numbers [0]", "accepts"),
    Use(loading("{0: 3}"), "StateDictTypeError",
        "the state of parameter 0 to be dict-like", "accepts"),
]

MODULES = [
    Use("nn.Module()(1)", "MissingMethodError", 'missing the required "forward" function'),
    Use("setattr(nn.Linear(2, 2), 'weight', L.zeros(2, 2))", "ModuleTypeError", "as parameter 'weight' (nn.Parameter"),
    Use("setattr(nn.Linear(2, 2), 'weight', 3)", "ModuleTypeError", "cannot assign 'int' as parameter 'weight'"),
    Use("setattr(nn.Linear(2, 2), 'weight', nn.ReLU())", "ModuleTypeError", "cannot assign 'ReLU' as parameter"),
    Use("setattr(nn.Sequential(nn.ReLU()), '0', 3)", "ModuleTypeError", "cannot assign 'int' as child module '0'"),
    Use("setattr(buffered(), 'b', 3)", "ModuleTypeError", "cannot assign 'int' as buffer 'b'"),
    Use("nn.Module().register_parameter('w', w * 1)", "ModuleTypeError", "object to parameter 'w'"),
    Use("nn.Module().register_parameter('', None)", "ModuleNameError", 'parameter name can\'t be empty string ""'),
    Use("nn.Module().register_parameter('a.b', None)", "ModuleNameError", 'parameter name can\'t contain "."'),
    Use("nn.Module().register_parameter(3, None)", "ModuleTypeError", "parameter name should be a string. Got int"),
    Use("nn.Module().register_parameter('forward', None)", "ModuleNameError", "attribute 'forward' already exists"),
    Use("nn.Module().register_buffer('w', 3)", "ModuleTypeError", "cannot assign 'int' object to buffer 'w'"),
    Use("nn.Module().register_buffer('a.b', None)", "ModuleNameError", 'buffer name can\'t contain "."'),
    Use("nn.Module().add_module('w', w)", "ModuleTypeError", "is not a Module subclass"),
    Use("nn.Module().add_module('w', nn.ReLU)", "ModuleTypeError", "but the class itself: write ReLU()"),
    Use("nn.Module().add_module('', None)", "ModuleNameError", 'module name can\'t be empty string ""'),
    Use("nn.Sequential(nn.ReLU()).get_submodule('x')", "SubmoduleError", "no attribute or submodule at 'x'"),
    Use("nn.Module().train('yes')", "TrainingModeError", "training mode is expected to be boolean"),
    Use("nn.Module().apply(3)", "NotCallableError", "Module.apply: 'int' object is not callable"),
    Use("nn.Linear(2, 2).load_state_dict(3)", "StateDictTypeError", "state_dict to be dict-like, got int"),
    Use("nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2))", "StateDictTypeError", "got Linear: call its state_dict()"),
    Use("nn.Linear(2, 2).load_state_dict({})", "StateDictError", "Error(s) in loading state_dict for Linear"),
    Use("nn.Parameter([1.0])", "TensorExpectedError", "a Parameter is made from a tensor, got list"),
    Use("nn.Linear(2, 2)(3)", "NotATensorError", "linear(): argument 'input' (position 1) must be Tensor, not int"),
    Use("nn.Linear(2, 2)([1.0, 2.0])", "NotATensorError", "must be Tensor, not list"),
    Use("nn.Linear(2, 2)(None)", "NotATensorError", "must be Tensor, not NoneType"),
    Use("nn.Sequential(3)", "ModuleTypeError", "int is not a Module subclass"),
    Use("nn.Sequential([nn.ReLU()])", "ModuleTypeError", "list is not a Module subclass: unpack it"),
    Use("nn.Sequential(nn.ReLU)", "ModuleTypeError", "is not a Module subclass"),
    Use("nn.Sequential(None)", "ModuleTypeError", "got None as number 0", "accepts"),
    Use("nn.Sequential(nn.ReLU())[1]", "IndexingError", "index 1 is out of range: this Sequential has 1 modules"),
    Use("nn.Sequential(nn.ReLU())['0']", "ModuleTypeError", "'str' object cannot be interpreted as an integer"),
    Use("nn.Sequential(nn.ReLU()).append(3)", "ModuleTypeError", "int is not a Module subclass"),
    Use("nn.MSELoss(reduction='median')(w, w)", "HyperparameterError", "median is not a valid value for reduction"),
    Use("nn.MSELoss()(w, 3)", "TensorExpectedError", "mse_loss(): argument 'target' (position 2) must be Tensor"),
    Use("nn.MSELoss()(3, w)", "TensorExpectedError", "mse_loss(): argument 'input' (position 1) must be Tensor"),
    Use("nn.CrossEntropyLoss()(L.ones(2, 2), [0, 1])", "TensorExpectedError", "argument 'target' (position 2) must"),
]

STARTING_VALUES = [
    Use("nn.init.uniform_(3)", "TensorExpectedError", "'int' object, which has no attribute 'uniform_'"),
    Use("nn.init.ones_(nn.Linear(2, 2))", "TensorExpectedError", "such as layer.weight"),
    Use("nn.init.xavier_uniform_(3)", "TensorExpectedError", "'int' object, which has no attribute 'dim'"),
    Use("nn.init.constant_(L.zeros(2), 'a')", "InPlaceTypeError", "got 'a'"),
    Use("nn.init.constant_(L.zeros(2), None)", "InPlaceTypeError", "got None"),
    Use("nn.init.constant_(L.zeros(2), L.ones(3))", "ShapeError", "fill_ only supports 0-dimension value tensor"),
    Use("nn.init.uniform_(L.zeros(2), 'a', 1)", "HyperparameterTypeError", "argument 'a' must be float, not str"),
    Use("nn.init.uniform_(L.zeros(2), 2, 1)", "RangeError", "expects to return a [from, to) range, but found from=2"),
    Use("nn.init.normal_(L.zeros(2), 0, -1)", "RangeError", "normal expects std >= 0.0, but found std -1"),
    Use("nn.init.normal_(L.zeros(2), 'a', 1)", "HyperparameterTypeError", "argument 'mean' must be float, not str"),
    Use("nn.init.uniform_(L.zeros(2, dtype=L.int64))", "RandomDTypeError", "floating-point numbers, got dtype"),
    Use("nn.init.uniform_(L.ones(1).expand(3))", "InPlaceError", "refers to a single memory location"),
    Use("nn.init.xavier_uniform_(L.zeros(3))", "FanError", "tensor with fewer than 2 dimensions"),
    Use("nn.init.kaiming_normal_(L.zeros(3))", "FanError", "tensor with fewer than 2 dimensions"),
    Use("nn.init.kaiming_uniform_(L.zeros(2, 2), mode='up')", "HyperparameterError", "Mode up not supported"),
    Use("nn.init.calculate_gain('step')", "HyperparameterError", "Unsupported nonlinearity step"),
    Use("nn.init.calculate_gain([])", "HyperparameterError", "Unsupported nonlinearity []"),
    Use("nn.init.calculate_gain('leaky_relu', True)", "HyperparameterError", "negative_slope True not a valid number"),
    Use("nn.init.xavier_uniform_(L.zeros(2, 2), gain='x')", "HyperparameterTypeError", "argument 'gain' must be float"),
]

DATA = [
    Use("data.Dataset()[0]", "MissingMethodError", "does not define __getitem__(index)"),
    Use("len(data.Dataset())", "MissingLengthError", "object of type 'Dataset' has no len()"),
    Use("data.TensorDataset([1, 2])", "TensorExpectedError", "TensorDataset takes tensors, got 'list' object"),
    Use("data.TensorDataset(L.zeros(2), L.zeros(3))", "DatasetSizeError", "Size mismatch between tensors"),
    Use("data.TensorDataset(L.tensor(1.0))", "DatasetSizeError", "got [None]"),
    Use("data.TensorDataset()", "DatasetSizeError", "got no tensors", "accepts"),
    Use("data.Subset(ds, [1])[1]", "IndexingError", "index 1 is out of range: this Subset has 1 samples"),
    Use("data.Subset(ds, 3)[0]", "DataArgumentError", "'int' object is not subscriptable"),
    Use("data.random_split(ds, [1, 2])", "HyperparameterError", "Sum of input lengths does not equal the length"),
    Use("data.random_split(ds, [3, -1])", "HyperparameterError", "at least 0, got [3, -1]", "accepts"),
    Use("data.random_split(ds, 2)", "DataArgumentError", "lengths should be a sequence of numbers"),
    Use("data.random_split(ds, ['a'])", "DataArgumentError", "lengths should be a sequence of numbers"),
    Use("data.random_split(3, [1, 2])", "DataArgumentError", "object of type 'int' has no len(): a dataset is"),
    Use("data.random_split(ds, [1, 1], generator=3)", "DataArgumentError", "generator should be a tp.Generator"),
    Use("data.DataLoader(ds, batch_size=0)", "HyperparameterError", "should be a positive integer value, but got"),
    Use("data.DataLoader(ds, batch_size=2.5)", "HyperparameterError", "got batch_size=2.5"),
    Use("data.DataLoader(ds, batch_size='a')", "HyperparameterError", "got batch_size=a"),
    Use("data.DataLoader(ds, batch_size=True)", "HyperparameterError", "got batch_size=True"),
    Use("data.DataLoader(ds, batch_size=None)", "HyperparameterError", "got batch_size=None", "accepts"),
    Use("data.DataLoader(ds, shuffle=True, sampler=[0])", "HyperparameterError", "mutually exclusive with shuffle"),
    Use("list(data.DataLoader(ds, sampler=3))", "DataArgumentError", "'int' object is not iterable: a sampler"),
    Use("list(data.DataLoader(ds, sampler=[7]))", "IndexingError", "index 7 is out of bounds"),
    Use("len(data.DataLoader(ds, sampler=iter([0])))", "DataArgumentError", "has no len(): to count the batches"),
    Use("list(data.DataLoader(3))", "DataArgumentError", "object of type 'int' has no len()"),
    Use("list(data.DataLoader(ds, collate_fn=3))", "NotCallableError", "'int' object is not callable"),
    Use("list(data.DataLoader(ds, shuffle=True, generator=3))", "DataArgumentError", "generator should be"),
    Use("list(data.DataLoader([L.zeros(2), L.zeros(3)], 2))", "ShapeError", "stack expects each tensor to be equal"),
    Use("list(data.DataLoader([(1, 2), (1,)], 2))", "ShapeError", "each element in list of batch should be of equal"),
    Use("list(data.DataLoader([{1}, {2}], 2))", "CollateError", "batch must contain tensors, numpy arrays, numbers"),
    Use("list(data.DataLoader([{'a': 1}, {'b': 1}], 2))", "CollateKeyError", "'a' is a key of the first sample"),
    Use("list(data.DataLoader([(1, 2), 3], 2))", "CollateError", "element 0 is tuple, element 1 is int"),
    Use("list(data.DataLoader([1, 'a'], 2))", "CollateError", "element 0 is int, element 1 is str"),
    Use("list(data.DataLoader([1, None], 2))", "CollateError", "element 0 is int, element 1 is NoneType"),
    Use("list(data.DataLoader([L.zeros(2), 3], 2))", "CollateError", "element 0 is Tensor, element 1 is int"),
    Use("data.default_collate([])", "EmptyBatchError", "default_collate needs at least one sample"),
    Use("data.default_collate(3)", "CollateError", "default_collate takes a list of samples"),
]

FUNCTIONS = [
    *(Use(f"F.{name}(3, w)", "NotCallableError", f"{name}: 'int' object is not callable, but a function was expected")
      for name in ("jacobian", "hessian", "vjp", "jvp", "vhp", "hvp")),
    *(Use(f"func.{name}(3)(L.ones(2))", "NotCallableError", f"{name}: 'int' object is not callable")
      for name in ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "vmap")),
    *(Use(f"func.{name}(3)", "NotCallableError", f"{name}: 'int' object is not callable", "later")
      for name in ("grad", "vmap")),
    Use("func.vjp(3, L.ones(2))", "NotCallableError", "vjp(f, *primals): 'int' object is not callable"),
    Use("func.jvp(3, (L.ones(2),), (L.ones(2),))", "NotCallableError", "'int' object is not callable"),
    Use("func.linearize(3, L.ones(2))", "NotCallableError", "linearize(f, *primals): 'int' object is not callable"),
    Use("func.functional_call(3, {}, w)", "ParametrizeTypeError", "'int' object has no attribute 'named_parameters'"),
    Use("func.functional_call(nn.Linear(1, 1), 3, w)", "ParametrizeTypeError", "Expected parameter_and_buffer_dicts"),
    Use("checkpoint(3, w, use_reentrant=False)", "NotCallableError", "checkpoint: 'int' object is not callable"),
    Use("checkpoint(None, w, use_reentrant=True)", "NotCallableError", "'NoneType' object is not callable"),
    Use("sequence(3, 1, w)", "CheckpointTypeError", "object of type 'int' has no len(): expected an nn.Sequential"),
    Use("sequence([3], 1, w)", "NotCallableError", "checkpoint_sequential: 'int' object is not callable"),
    Use("sequence([nn.ReLU()], 'a', w)", "CheckpointTypeError", "segments should be a whole number, got 'a'"),
]
# fmt: on

USES = [*OPTIMIZERS, *MODULES, *STARTING_VALUES, *DATA, *FUNCTIONS]
