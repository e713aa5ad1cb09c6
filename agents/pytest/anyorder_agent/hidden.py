"""Registries that the interpreter keeps for itself: codecs, and classes registered with abstract ones.

Knows ways to them that involve no private structures: the collector tells who holds a known function, `_abc` tells what was
registered. Does not know what was registered before.
"""
import abc
import codecs
import encodings

from .contents import type_name
from .own import own
from .shapes import is_a

_ERROR_NAMES = {"strict", "ignore", "replace"}


def hidden_codecs():
    """Labels and objects: the list of functions that look for codecs, and the dict of error handlers."""
    found = []
    for holder in own.referrers(encodings.search_function, codecs.strict_errors):
        if type(holder) is list and encodings.search_function in holder and all(map(callable, holder)):
            found.append(("codecs.<search functions>", holder))
        elif type(holder) is dict and _ERROR_NAMES <= holder.keys() and "__name__" not in holder:
            found.append(("codecs.<error handlers>", holder))
    return found


class Registrations:
    """Classes that were registered with abstract ones. A counter of the interpreter's tells whether any were."""

    def __init__(self, objects):
        self._classes = [thing for thing in objects if is_a(thing, abc.ABCMeta)]
        self._token = None
        self._facts = {}

    def facts(self):
        token = own.class_registrations_token()
        if token != self._token:
            self._token = token
            self._facts = {path: value for kind in self._classes for path, value in _registered_with(kind)}
        return self._facts


def _registered_with(kind):
    try:
        registered = own.class_registrations(kind)[0]
    except TypeError:
        return  # an abstract class of another making
    for reference in registered:
        other = reference()
        if other is not None and is_a(other, type):
            yield "%s.register(%s)" % (type_name(kind), type_name(other)), ("process", "registered")
