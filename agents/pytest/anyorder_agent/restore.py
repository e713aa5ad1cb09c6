"""The verb `restore`: puts chosen cells back, in place, and says which would not go.

What is displaced is kept alive, so that no finaliser of the project's runs here. Knows changes, and in which order they are
undone; `put.py` knows how objects are written to, `Watch` how the process is.
"""
from .cells import FACT, NAMESPACE
from .put import Refused, putter
from .shapes import ABSENT, shape_of

_displaced = []


def put_back(asked, changes, memory, names, put_fact):
    """Puts the changes that are `asked` back, which are some of all `changes`; `put_fact` does so for one of the process.
    Gives why it failed, by path."""
    failed = {}
    _displaced.extend(asked)
    of_all = _by_holder(changes)
    for where, ours in _by_holder(asked).items():
        _put_in_holder(ours, len(ours) == len(of_all[where]), memory, names, failed)
    for change in asked:
        if change.group == FACT:
            _try(failed, change, put_fact, change)
    return failed


def _by_holder(changes):
    """Those of one object together. Whole namespaces come last: which dict goes back depends on what is in it by then."""
    found = {}
    for change in sorted(changes, key=lambda change: change.group == NAMESPACE):
        if change.group != FACT:
            found.setdefault((change.group, id(change.holder)), []).append(change)
    return found


def _put_in_holder(changes, is_whole, memory, names, failed):
    first = changes[0]
    try:
        holder = putter(first.group, first.holder, *_surroundings(first, memory, names), is_whole)
    except Refused as refusal:
        failed.update((change.path, str(refusal)) for change in changes)
        return
    for change in sorted(changes, key=_is_addition):
        for slot in change.slots:
            _try(failed, change, holder.put, *slot)
    _try(failed, first, holder.end)


def _is_addition(change):
    """What was not there goes first: a key that comes back may be equal to it."""
    return any([old is not ABSENT for _, old, _ in change.slots])


def _surroundings(change, memory, names):
    """What owns a dict, what it is the cache of, and what it held."""
    place = memory.place(change.holder)
    if change.group == NAMESPACE:
        namespace = memory.then(place)[shape_of(type(change.holder)).labels.index("__dict__")]
        known = memory.place(namespace)
        return None, None, (namespace, memory.then(known) if known is not None else ((), ()))
    return names.owner(place), names.cache_of(place), memory.then(place)


def _try(failed, change, function, *arguments):
    try:
        function(*arguments)
    except Refused as refusal:
        failed[change.path] = str(refusal)
    except Exception as error:
        failed[change.path] = "%s: %s" % (type(error).__name__, str(error)[:200])
