"""How a value is perturbed: another one of its type, or a container that is emptied or has one entry more.

| way | what becomes of it |
|---|---|
| `other` | a truth value is flipped, a number is one more, text and bytes have `~` behind them |
| `emptied` | nothing is left in a container, which stays the same object |
| `extra` | a container has one entry more, of the sort that it has already |

Writes through the methods of built-in types, as `put.py` does. Knows values; does not know where they stand.
"""
from collections import OrderedDict as _OrderedDict
from collections import deque as _Deque

from .saved import contents
from .shapes import DEQUE, DICT, LIST, ORDERED, SET, is_a, is_same, shape_of

_SCALARS = {bool, int, float, complex, str, bytes}
_CLEAR = {DICT: dict.clear, ORDERED: _OrderedDict.clear, LIST: list.clear, SET: set.clear, DEQUE: _Deque.clear}
_PUT = {DICT: dict.__setitem__, ORDERED: _OrderedDict.__setitem__}
_ADD = {LIST: list.append, SET: set.add, DEQUE: _Deque.append}
_displaced = []  # so that no finaliser of the project's runs


def is_scalar(value):
    return type(value) in _SCALARS


def is_container(value):
    return is_a(value, bytearray) or shape_of(type(value)).group in _CLEAR


def other(scalar):
    """Another value of the same type."""
    if type(scalar) is bool:
        return not scalar
    if type(scalar) in (str, bytes):
        return scalar + ("~" if type(scalar) is str else b"~")
    return scalar + 1


def ways(value):
    """The ways in which a value can be perturbed."""
    if is_scalar(value):
        return [] if is_same(value, other(value)) else ["other"]
    if is_a(value, bytearray):
        return ["emptied"] if bytearray.__len__(value) else []
    entries = _entries(value)
    return (["emptied"] if entries else []) + (["extra"] if _has_like(entries, value) else [])


def empty(container):
    """Leaves nothing in it."""
    if is_a(container, bytearray):
        bytearray.clear(container)
        return
    group = shape_of(type(container)).group
    _displaced.append(contents(container, group))
    _CLEAR[group](container)


def extend(container):
    """Adds an entry that it does not have; a list may have the same object again."""
    group = shape_of(type(container)).group
    entries = _entries(container)
    _displaced.append(entries)  # a deque with a bound drops one
    if group in _PUT:
        values = contents(container, group)[1]
        _PUT[group](container, _like(entries), values[-1] if values else None)
    elif group != SET and _like(entries) is None:
        _ADD[group](container, entries[-1])
    else:
        _ADD[group](container, _like(entries))


def _entries(container):
    """Keys of a dict, elements of anything else."""
    group = shape_of(type(container)).group
    found = contents(container, group)
    return list(found[0] if group in _PUT else found)


def _has_like(entries, container):
    return shape_of(type(container)).group in (LIST, DEQUE) or _like(entries) is not None


def _like(entries):
    """One that is not among these, and of their sort; nothing if they are of a sort that nobody can make up."""
    kinds = set(map(type, entries))
    if not kinds:
        return "~"
    if kinds in ({str}, {bytes}, {int}, {float}):
        return other(max(entries))
    if all([issubclass(kind, type) for kind in kinds]):
        return type("Extra", (), {})
    return None
