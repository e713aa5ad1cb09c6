"""From paths of cells to the objects that hold them: the way back of `names.py`.

Follows what every object held at the mark as long as some path may lead through it. Several objects can be meant by one path;
which of them has the cell shows when it changes. Knows what is remembered; does not know what has changed.
"""
import logging

from .saved import contents
from .shapes import DEQUE, DICT, LIST, ORDERED, PASS, Cell, below, is_a, shape_of

_STEPS = ("", ".", "[", "{", "<")


def holders(memory, names, paths):
    """What may hold the cells with these paths."""
    waiting = [place for place in _starts(memory) if _leads_to(paths, names.path(place))]
    found = set(waiting)
    while waiting:
        place = waiting.pop()
        for child, path in _children(memory, names, place):
            is_new = child is not None and child not in found
            if is_new and _leads_to(paths, path) and _leads_to(paths, names.path(child)):
                found.add(child)
                waiting.append(child)
    known = [place for place in sorted(found) if memory.then(place) is not None]
    last = {place for path in paths for place in _last(known, path, memory, names)}
    return [memory.objects[place] for place in sorted(last)]


def _last(places, path, memory, names):
    """Those at the end of the way. A variable that functions share has the path of its cell."""
    whole = [place for place in places if names.path(place) == path and is_a(memory.objects[place], Cell)]
    before = [place for place in places if names.path(place) != path and _leads_to([path], names.path(place))]
    longest = max([len(names.path(place)) for place in before], default=0)
    return whole + [place for place in before if len(names.path(place)) == longest]


def _leads_to(paths, start):
    return any([path.startswith(start) and path[len(start):len(start) + 1] in _STEPS for path in paths])


def _starts(memory):
    """Roots, and loggers, whose paths do not say how they were found."""
    loggers = [memory.place(logger) for logger in logging.Logger.manager.loggerDict.values()]
    return list(memory.labels) + [place for place in loggers if place is not None]


def _children(memory, names, place):
    """Places and paths of what an object held."""
    thing = memory.objects[place]
    group = shape_of(type(thing)).group
    path = names.path(place)
    if group in (DICT, ORDERED):
        for key, value in zip(*(memory.then(place) or contents(thing, group))):
            yield memory.place(value), path + names.slot(place, key)[0]
    elif group in (LIST, DEQUE) or is_a(thing, tuple):
        items = tuple.__iter__(thing) if group == PASS else memory.then(place)
        for at, value in enumerate(items):
            yield memory.place(value), _path_of_item(memory, names, value, "%s[%d]" % (path, at))
    else:
        for value in below(thing):
            child = memory.place(value)
            if child is not None:
                yield child, names.path(child)


def _path_of_item(memory, names, value, path):
    """The variables that a function shares with others stand in a tuple, too."""
    place = memory.place(value)
    return names.path(place) if place is not None and is_a(value, Cell) else path
