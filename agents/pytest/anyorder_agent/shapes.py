"""Which objects hold state, and how to read it without running any code of the project's.

An object's type decides its shape: a leaf that nothing hangs below, something to pass through, or a holder whose contents
are remembered. Reads through the descriptors of built-in types only: a class may have its own idea of `__iter__` or
`__dict__`. Knows single objects; knows no paths and no marks.
"""
import _random
import _thread
import array
import collections
import functools
import sys
import types
import weakref

from .own import own

LEAF, PASS, DICT, LIST, SET, DEQUE, BUFFER, SLOTS, ORDERED = range(9)


class _Absent:
    """Stands for the value of a slot that has none."""


ABSENT = _Absent()
OWN_PACKAGE = __name__.partition(".")[0]
MACHINERY = {"_pytest", "pytest", "pluggy", "iniconfig", "anyorder_order", OWN_PACKAGE}

MADE_BY_CLASS_STATEMENT = 1 << 9
_LARGEST_BUFFER = 1 << 20
_LOCAL = _thread._local
LRU_CACHE = type(functools.lru_cache(maxsize=1)(len))
Cell = type((lambda captured: lambda: captured)(0).__closure__[0])

PLAIN = {int, str, bytes, float, complex, bool, type(None), type(...), type(NotImplemented), range}
_LEAVES = PLAIN | {
    slice,
    types.CodeType,
    types.BuiltinFunctionType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.MethodWrapperType,
    types.FrameType,
    types.TracebackType,
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
    weakref.ref,
    _Absent,
}
_LEAF_MODULES = {
    "_abc",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_sre",
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "re",
    "sre_compile",
    "typing",
    "zipimport",
}
_LOCKS = {type(_thread.allocate_lock()), _thread.RLock}
_WRAPPERS = {LRU_CACHE, property, classmethod, staticmethod, types.MethodType, types.MappingProxyType}
_GROUPS = ((collections.OrderedDict, ORDERED), (dict, DICT), (list, LIST), (set, SET), (collections.deque, DEQUE))


def namespace_of_module(module):
    """Its dict, without asking a module that makes attributes up when they are asked for."""
    return types.ModuleType.__dict__["__dict__"].__get__(module)


def of_class(kind, name):
    """An attribute that every class has from `type`, past metaclasses with ideas of their own."""
    return type.__dict__[name].__get__(kind)


def is_a(thing, kinds):
    """`isinstance`, but for what the object is, not for what its `__class__` claims."""
    return issubclass(type(thing), kinds)


class Shape:
    """How instances of one type are read."""

    __slots__ = ("group", "slots", "labels", "namespace", "is_thread_local")

    def __init__(self, group, slots=(), labels=(), namespace=None):
        self.is_thread_local = namespace is _read_thread_local
        self.group = group
        self.slots = slots  # one reader for each label
        self.labels = labels
        self.namespace = namespace  # reads `__dict__`, or None

    def values(self, holder):
        """What stands in the named slots."""
        return tuple([read(holder) for read in self.slots])


_shapes = {}


def shape_of(kind):
    """The shape of instances of this type."""
    shape = _shapes.get(kind)
    if shape is None:
        try:
            shape = _new_shape(kind)
        except Exception:  # a metaclass that does not like to be looked at
            shape = Shape(LEAF)
        _shapes[kind] = shape
    return shape


def _new_shape(kind):
    module = of_class(kind, "__module__")
    module = module if is_a(module, str) else ""
    if kind in _LEAVES or module in _LEAF_MODULES or module.partition(".")[0] in MACHINERY:
        return Shape(LEAF)
    if kind is types.FunctionType:
        names = ("__code__", "__defaults__", "__kwdefaults__")
        readers = [types.FunctionType.__dict__[name].__get__ for name in names]
        return Shape(SLOTS, tuple(readers + [_attributes_of_function]), names + ("__dict__",))
    if kind is Cell:
        return Shape(SLOTS, (_contents_of_cell,), ("",))
    if issubclass(kind, type):
        return Shape(SLOTS, (type.__dict__["__bases__"].__get__,), ("__bases__",))
    if issubclass(kind, (types.ModuleType, tuple, frozenset)) or kind in _WRAPPERS:
        return Shape(PASS)
    if _is_buffer(kind):
        return Shape(BUFFER)
    return _shape_of_instances(kind)


def _shape_of_instances(kind):
    group = next((group for base, group in _GROUPS if issubclass(kind, base)), None)
    namespace = _namespace_reader(kind)
    if group is not None:
        return Shape(group, namespace=namespace)
    labels, slots = [], []
    if of_class(kind, "__flags__") & MADE_BY_CLASS_STATEMENT:
        labels.append("__class__")
        slots.append(type)
    for base in of_class(kind, "__mro__"):
        for name, descriptor in own_members(base):
            labels.append(name)
            slots.append(_slot_reader(descriptor))
    if namespace is not None:
        labels.append("__dict__")
        slots.append(namespace)
    return Shape(SLOTS if slots else PASS, tuple(slots), tuple(labels), namespace)


def own_members(base):
    """The `__slots__` of a class that was written in Python."""
    own_dict = of_class(base, "__dict__")
    if "__slots__" not in own_dict:
        return []
    return [
        (name, value)
        for name, value in own_dict.items()
        if type(value) is types.MemberDescriptorType and name not in ("__dict__", "__weakref__")
    ]


def _slot_reader(descriptor):
    get = descriptor.__get__

    def read(holder):
        try:
            return get(holder)
        except AttributeError:
            return ABSENT

    return read


def _namespace_reader(kind):
    if issubclass(kind, _LOCAL):
        sets_itself_up = any(["__init__" in of_class(base, "__dict__") for base in of_class(kind, "__mro__")[:-2]])
        return None if sets_itself_up else _read_thread_local
    for base in of_class(kind, "__mro__"):
        descriptor = of_class(base, "__dict__").get("__dict__")
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return descriptor.__get__
    return None


def _read_thread_local(holder):
    return _LOCAL.__getattribute__(holder, "__dict__")


def _contents_of_cell(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _is_buffer(kind):
    """Also generators of random numbers: their state is nothing but numbers."""
    if issubclass(kind, (bytearray, array.array, _random.Random)):
        return True
    return kind is getattr(sys.modules.get("numpy"), "ndarray", None)


class Digest(bytes):
    """Stands for the contents of a buffer that is too large to be kept."""


def buffer_of(holder):
    """The bytes of a buffer, or its length and a digest if it is large; nothing if it cannot be read."""
    if is_a(holder, _random.Random):
        holder = array.array("L", _random.Random.getstate(holder))
    try:
        view = memoryview(holder)
        if view.nbytes <= _LARGEST_BUFFER:
            return view.tobytes()
        return Digest(b"%d " % view.nbytes + own.digest(view).digest())
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return b""


def below(holder):
    """Everything that hangs directly below an object."""
    if type(holder) is types.FunctionType:
        return _below_function(holder)
    if type(holder) is dict:  # the collector passes over values that a dict only borrows from an object
        return list(dict.values(holder)) + list(dict.keys(holder))
    shape = shape_of(type(holder))
    if shape.namespace is None:
        return own.referents(holder)
    namespace = shape.namespace(holder)  # before the next line: reading it may make it
    found = own.referents(holder)
    if any([thing is namespace for thing in found]):
        return found
    values = set(map(id, dict.values(namespace)))  # an object may hold these itself, and its dict only borrow them
    return [namespace] + [thing for thing in found if id(thing) not in values]


def _below_function(function):
    """Without annotations."""
    found = [function.__closure__, function.__defaults__, function.__kwdefaults__, _attributes_of_function(function)]
    return [thing for thing in found if thing is not None]


def _attributes_of_function(function):
    """Asking for `__dict__` makes one; so it is asked for only if there is a dict that could be it."""
    known = (function.__globals__, function.__kwdefaults__, getattr(function, "__builtins__", None))
    for thing in own.referents(function):
        if type(thing) is dict and not any([thing is other for other in known]):
            return function.__dict__
    return ABSENT


def is_same(then, now):
    """Whether a slot still holds the same: the same object, or an equal one that can never change."""
    if then is now:
        return True
    kind = type(then)
    if kind is not type(now):
        return False
    if kind in PLAIN:
        return then == now and (kind is not float or repr(then) == repr(now)) or then != then and now != now
    if kind is tuple or kind is frozenset and _all_plain(then) and _all_plain(now):
        if kind is frozenset:
            return then == now
        return len(then) == len(now) and all(map(is_same, then, now))
    if kind in _LOCKS:
        return True  # a fork makes them anew
    if kind is types.MethodType:
        return then.__func__ is now.__func__ and then.__self__ is now.__self__
    return False


def _all_plain(items):
    return all([type(item) in PLAIN for item in items])
