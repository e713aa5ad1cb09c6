"""Values as source: what can be written with literals alone, as it was at the mark.

Knows values, and what is remembered of containers that have changed since. Does not know where they stand.
"""
from .saved import contents
from .shapes import DICT, LIST, SET, shape_of

LONGEST = 400
_DEEPEST = 20
_PLAIN = {type(None), bool, int, float, str, bytes}
_GROUPS = {dict: DICT, list: LIST, set: SET}


class _NoLiteral(Exception):
    """There is something that no literal stands for, or too much of it."""


def literal(value, memory):
    """Source for a value, whole; nothing if there is none of at most 400 characters."""
    try:
        text = _source(value, memory, 0)
    except _NoLiteral:
        return None
    return text if len(text) <= LONGEST else None


def _source(value, memory, depth):
    kind = type(value)
    if kind in _PLAIN:
        return _plain(value)
    if depth > _DEEPEST or kind not in _GROUPS and kind is not tuple:
        raise _NoLiteral
    if kind is dict:
        keys, values = _contents(value, memory)
        _check(len(keys))
        parts = zip(_all(keys, memory, depth), _all(values, memory, depth))
        return "{%s}" % ", ".join(["%s: %s" % pair for pair in parts])
    items = list(value) if kind is tuple else _contents(value, memory)
    _check(len(items))
    parts = _all(items, memory, depth)
    if kind is tuple:
        return "(%s%s)" % (", ".join(parts), "," if len(parts) == 1 else "")
    if kind is list:
        return "[%s]" % ", ".join(parts)
    return "{%s}" % ", ".join(sorted(parts)) if parts else "set()"


def _all(items, memory, depth):
    return [_source(item, memory, depth + 1) for item in items]


def _plain(value):
    if type(value) is int and value.bit_length() > 4 * LONGEST:
        raise _NoLiteral
    if type(value) is float and value - value != 0:
        raise _NoLiteral  # it is not finite
    if type(value) in (str, bytes):
        _check(len(value))
    return repr(value)


def _check(length):
    if length > LONGEST:
        raise _NoLiteral


def _contents(container, memory):
    place = memory.place(container)
    then = memory.then(place) if place is not None else None
    return contents(container, shape_of(type(container)).group) if then is None else then
