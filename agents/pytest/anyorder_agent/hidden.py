"""Registries that the interpreter keeps for itself: codecs, and classes registered with abstract ones.

Knows ways to them that involve no private structures: the collector tells who holds a known function, `_abc` tells what was
registered. Does not know what was registered before.
"""
import abc
import codecs
import encodings

from .contents import type_name
from .own import own
from .put import Refused
from .shapes import ABSENT, is_a, of_class

_ERROR_NAMES = {"strict", "ignore", "replace"}


def hidden_codecs():
    """Labels and objects: the list of functions that look for codecs, and the dict of error handlers."""
    found = []
    for holder in own.referrers(encodings.search_function, codecs.strict_errors):
        is_meant = type(holder) is list and any([thing is encodings.search_function for thing in holder])
        if is_meant and all(map(callable, holder)):
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

    def reader(self, path):
        """Reads whether a class is registered; nothing if that is not what a path says."""
        return (lambda: self.facts().get(path, (None, ABSENT))[1]) if ".register(" in path else None

    def put_back(self, path, is_wanted):
        """A registration is taken away by taking all away, and making the others anew."""
        if is_wanted:
            raise Refused("the class that was registered is not kept")
        kind = next(kind for kind in self._classes if path in dict(_registered_with(kind)))
        others = [other for other in _registered(kind) if _path(kind, other) != path]
        own.abc_reset_registry(kind)
        for base in of_class(kind, "__mro__"):  # what is remembered to be a subclass would not be registered again
            if is_a(base, abc.ABCMeta):
                own.abc_reset_caches(base)
        for other in others:
            own.abc_register(kind, other)
        self._token = None


def _registered_with(kind):
    try:
        registered = _registered(kind)
    except TypeError:
        return  # an abstract class of another making
    for other in registered:
        yield _path(kind, other), ("process", "registered")


def _registered(kind):
    classes = [reference() for reference in own.class_registrations(kind)[0]]
    return [other for other in classes if other is not None and is_a(other, type)]


def _path(kind, other):
    return "%s.register(%s)" % (type_name(kind), type_name(other))
