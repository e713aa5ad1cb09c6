"""What stands in a slot: a short text for people, and a canonical form that is equal in other processes.

The canonical form writes new objects with their structure (an object that occurs again is a number), old ones by their
path, sets and plain dicts sorted, addresses left out. No code of the project's runs: no `__repr__`, `__eq__` or `__hash__`
of its classes. What cannot be looked into raises [`Opaque`]. Knows values; paths of old objects are given to it.
"""
import functools
import types
import weakref

from .own import own
from .saved import contents
from .shapes import ABSENT, BUFFER, DEQUE, DICT, LIST, LRU_CACHE, MADE_BY_CLASS_STATEMENT, ORDERED, PLAIN, SET, SLOTS
from .shapes import Cell, buffer_of, is_a, namespace_of_module, of_class, shape_of

_WIDTH = 80
_DEPTH = 2
_MOST_ITEMS = 12
_MOST_SORTED = 1000
_MOST_OBJECTS = 4000
_ADDRESS = own.pattern(r"\b0x[0-9a-fA-F]{6,}")
_BRACKETS = {LIST: "[]", SET: "{}", DEQUE: "[]"}
_UNSAID = {"__dict__", "__weakref__", "__module__", "__doc__", "__annotations__", "__firstlineno__", "__static_attributes__",
           "__annotate_func__", "__annotations_cache__", "_abc_impl"}
# Locks are told apart by nothing; the rest say all about themselves in a text that is made in C.
_LOCKS = {"_thread.lock", "_thread.RLock", "_thread._localdummy"}
_TOLD = {
    "datetime.datetime", "datetime.date", "datetime.time", "datetime.timedelta", "datetime.timezone", "decimal.Decimal",
    "re.Pattern", "builtins.builtin_function_or_method", "builtins.method_descriptor", "builtins.wrapper_descriptor",
    "builtins.getset_descriptor", "builtins.member_descriptor", "builtins.classmethod_descriptor", "builtins.method-wrapper",
}


class Opaque(Exception):
    """There is something that cannot be looked into."""


def type_name(kind):
    """Module and qualified name of a class."""
    module, name = of_class(kind, "__module__"), of_class(kind, "__qualname__")
    return "%s.%s" % (module, name) if is_a(module, str) else name


def short(thing, depth=_DEPTH):
    """A text of at most 80 characters."""
    text = _text(thing, depth)
    return text if len(text) <= _WIDTH else text[:_WIDTH - 3] + "..."


def label(key):
    """A short text by which a key is told from other keys, even if it had to be cut."""
    text = _text(key, 1)
    whole = _exact(key) if type(key) in (str, bytes) else _text(key, _DEPTH + 2)
    if len(text) <= _WIDTH and len(whole) <= _WIDTH:
        return text
    return "%s...%s" % (text[:_WIDTH - 16], own.digest(whole.encode("utf-8", "backslashreplace")).hexdigest()[:8])


def _text(thing, depth):
    kind = type(thing)
    if thing is ABSENT:
        return "<absent>"
    if kind in PLAIN:
        return _plain(thing)
    if is_a(thing, type):
        return "<class %s>" % type_name(thing)
    if is_a(thing, types.FunctionType):
        return "<function %s.%s>" % (thing.__module__, thing.__qualname__)
    if kind is types.BuiltinFunctionType:
        return _without_addresses(repr(thing))
    if kind is types.ModuleType:
        return "<module %s>" % namespace_of_module(thing).get("__name__")
    if kind is bytearray:
        return "bytearray(%s)" % _plain(bytes(thing[:_WIDTH]))
    if kind in (dict, list, set, tuple, frozenset):
        return _container(thing, depth)
    if kind is types.CodeType:
        return "<code of %s>" % thing.co_name
    if is_a(thing, weakref.ref):
        return "<weak %s>" % _text(weakref.ref.__call__(thing), 0)
    if is_a(thing, (int, float, str, bytes)):
        return "<%s %s>" % (type_name(kind), _exact(thing)[:_WIDTH])
    if is_a(thing, types.MethodType):
        return "<method %s>" % getattr(thing.__func__, "__qualname__", "?")
    if type_name(kind) in _TOLD:
        return _without_addresses(repr(thing))
    return "<%s object>" % type_name(kind)


def _plain(thing):
    if is_a(thing, (str, bytes)) and len(thing) > _WIDTH:
        thing = thing[:_WIDTH]
    if type(thing) is int and thing.bit_length() > 1000:
        return "<int of %d bits>" % thing.bit_length()
    return repr(thing)


def _container(thing, depth):
    kind = type(thing)
    opening, closing = {dict: "{}", list: "[]", tuple: "()", set: "{}"}.get(kind, ("frozenset({", "})"))
    if depth == 0 and len(thing):
        return "%s...%s" % (opening, closing)
    if kind is set and not thing:
        return "set()"
    items = list(dict.items(thing)) if kind is dict else list(thing)
    if kind is dict:
        parts = ["%s: %s" % (_text(key, depth - 1), _text(value, depth - 1)) for key, value in items[:_MOST_ITEMS]]
    elif kind in (set, frozenset):
        parts = sorted([_text(item, depth - 1) for item in items[:_MOST_SORTED]])[:_MOST_ITEMS]
    else:
        parts = [_text(item, depth - 1) for item in items[:_MOST_ITEMS]]
    if len(items) > _MOST_ITEMS:
        parts.append("... %d in all" % len(items))
    comma = "," if kind is tuple and len(items) == 1 else ""
    return opening + ", ".join(parts) + comma + closing


class Canon:
    """Canonical forms of what is in one cell. `path_of` gives the path of an old object, or nothing."""

    def __init__(self, path_of, kept=None):
        self._path_of = path_of
        self._seen = {}
        self._kept = [] if kept is None else kept  # so that no address is used twice

    def form(self, thing):
        kind = type(thing)
        if kind in PLAIN:  # most are, so nothing else comes first
            return "%s:%s" % (kind.__name__, _without_addresses(repr(thing)))
        if thing is ABSENT:
            return "-"
        path = self._path_of(thing)
        if path is not None:
            return "old:" + path
        number = self._seen.get(id(thing))
        if number is not None:
            return "#%d" % number
        self._seen[id(thing)] = len(self._seen)
        self._kept.append(thing)
        if len(self._kept) > _MOST_OBJECTS:
            raise Opaque
        return "%s(%s)" % (type_name(kind), self._inside(thing, kind))

    def _inside(self, thing, kind):
        if is_a(thing, type):
            namespace = of_class(thing, "__dict__")
            told = [(name, namespace[name]) for name in sorted(map(str, namespace)) if name not in _UNSAID]
            return "%s;%s;%s" % (type_name(thing), self._all(of_class(thing, "__bases__")), self._pairs(told))
        if is_a(thing, types.FunctionType):
            return self._function(thing)
        if is_a(thing, types.ModuleType):
            return str(namespace_of_module(thing).get("__name__"))
        if is_a(thing, weakref.ref):
            return self.form(weakref.ref.__call__(thing))
        if kind is types.CodeType:
            return _code(thing)
        name = type_name(kind)
        if name in _LOCKS:
            return ""
        if name in _TOLD:
            return _without_addresses(repr(thing))
        if kind in (tuple, types.MethodType, staticmethod, classmethod, property, Cell, types.MappingProxyType):
            return self._all(own.referents(thing) if kind is not tuple else thing)
        if kind is functools.partial:
            return self._all((thing.func, thing.args, thing.keywords))
        if kind is frozenset:
            return self._unordered(thing)
        return self._holder(thing, kind)

    def _holder(self, thing, kind):
        shape = shape_of(kind)
        parts = []
        if shape.group == DICT:
            keys, values = contents(thing, DICT)
            parts.append(self._dict(keys, values))
        elif shape.group == ORDERED:
            parts.append(self._all(sum(contents(thing, ORDERED), [])))
        elif shape.group in (LIST, DEQUE):
            parts.append(self._all(contents(thing, shape.group)))
        elif shape.group == SET:
            parts.append(self._unordered(contents(thing, SET)))
        elif shape.group == BUFFER:
            parts.append(buffer_of(thing).hex())
        if is_a(thing, (tuple, frozenset)):
            parts.append(self._unordered(thing) if is_a(thing, frozenset) else self._all(tuple.__iter__(thing)))
        elif is_a(thing, (int, str, bytes, float, complex)):
            parts.append(_exact(thing))
        elif is_a(thing, BaseException):
            parts.append(self.form(BaseException.__dict__["args"].__get__(thing)))
        elif shape.group not in (DICT, ORDERED, LIST, SET, DEQUE, BUFFER) and not _is_plain_object(kind):
            raise Opaque
        if shape.group == SLOTS:
            named = dict(zip(shape.labels, shape.values(thing)))
            parts.append(self._pairs([(name, named[name]) for name in sorted(set(named) - {"__dict__", "__class__"})]))
        if shape.namespace is not None:
            namespace = shape.namespace(thing)
            parts.append(self._dict(*contents(namespace, DICT)))
        return ";".join(parts)

    def _function(self, function):
        told = [function.__defaults__, function.__kwdefaults__, function.__closure__]
        return "%s.%s;%s;%s" % (function.__module__, function.__qualname__, _code(function.__code__), self._all(told))

    def _all(self, things):
        things = list(things)
        if all([type(thing) is str for thing in things]):  # as the lines of a file
            return _without_addresses(repr(things))
        return ",".join([self.form(thing) for thing in things])

    def _pairs(self, pairs):
        return ",".join(["%s=%s" % (name, self.form(value)) for name, value in pairs])

    def _dict(self, keys, values):
        forms = [Canon(self._path_of, self._kept).form(key) for key in keys]
        order = sorted(range(len(keys)), key=forms.__getitem__)
        return ",".join(["%s=%s" % (forms[at], self.form(values[at])) for at in order])

    def _unordered(self, things):
        return ",".join(sorted([Canon(self._path_of, self._kept).form(thing) for thing in things]))


def _without_addresses(text):
    return _ADDRESS.sub("0x", text) if "0x" in text else text


def _code(code):
    told = (code.co_code, code.co_names, code.co_varnames)
    digest = own.digest(repr(told).encode("utf-8", "replace")).hexdigest()
    return "%s:%d;%s" % (code.co_name, code.co_firstlineno, digest)


def _exact(thing):
    for base in (bool, int, float, complex, str, bytes):
        if is_a(thing, base):
            return repr(thing) if type(thing) is base else base.__repr__(thing)
    return repr(thing)


def _is_plain_object(kind):
    """Whether everything in an instance stands in its slots and its namespace."""
    if kind is LRU_CACHE:
        return False
    base = kind
    while of_class(base, "__flags__") & MADE_BY_CLASS_STATEMENT:
        base = of_class(base, "__base__")
    return base is object or type_name(base) in ("types.SimpleNamespace", "_thread._local")
