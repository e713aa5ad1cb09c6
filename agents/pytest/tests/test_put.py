"""Whatever is done to whatever objects, restoring some cells puts these back and leaves all others as they are."""
import array
import collections
import functools
import importlib
import os
import random
import sys
import types

import pytest

from engine import HOME

package = sys.modules.setdefault("stub_of_agent", types.ModuleType("stub_of_agent"))
package.__path__ = [os.path.join(HOME, "anyorder_agent")]
cells, names, restore, saved, shapes, walk = [
    importlib.import_module("stub_of_agent." + name) for name in ("cells", "names", "restore", "saved", "shapes", "walk")
]


class World:
    """A module full of things, marked."""

    def __init__(self, things):
        self.module = types.ModuleType("world")
        vars(self.module).update(things)
        self.memory = walk.Memory({"world": self.module}, set(), [])
        self._names = names.Names(self.memory)
        self._teller = cells.Teller(self.memory, self._names)

    def changes(self):
        """By path."""
        found = {}
        for change in self._teller.changes(list(self.memory.changed())):
            path = change.path
            while path in found:
                path += "'"
            change.path = path
            found[path] = change
        return found

    def restore(self, paths):
        changes = self.changes()
        asked = [changes[path] for path in paths]
        return restore.put_back(asked, list(changes.values()), self.memory, self._names, None)

    def contents(self):
        """What every object holds that was there at the mark, by its place."""
        return {place: contents(self.memory, place) for place in range(len(self.memory.objects))}


def contents(memory, place):
    """As plain values that can be compared, with objects by their identity."""
    thing = memory.objects[place]
    group = shapes.shape_of(type(thing)).group
    if memory.then(place) is None:
        return None
    held = saved.contents(thing, group)
    if group == shapes.SET:
        return set(map(id, held))
    if group == shapes.BUFFER:
        return held
    if group == shapes.DICT:
        return pairs(*held)
    if group == shapes.SLOTS:
        labels = shapes.shape_of(type(thing)).labels
        return [namespace_of(value) if label == "__dict__" else id(value) for label, value in zip(labels, held)]
    return [id(value) for value in (sum(held, []) if group == shapes.ORDERED else held)]


def pairs(keys, values):
    """The order of plain dicts is not state."""
    return sorted((id(key), id(value)) for key, value in zip(keys, values))


def namespace_of(value):
    """Which dict it is makes no difference; nor whether there is none, or one without anything in it."""
    return [] if value is shapes.ABSENT else pairs(list(value), list(value.values()))


class Thing:
    shared = None


class Slotted:
    __slots__ = ("left", "right")


class Odd(dict):
    pass


def make_function(rng):
    count = rng.choice([0, "text"])

    def function(argument=1, *, keyword=2):
        return count, argument, keyword

    return function


def make_cache(rng):
    cache = functools.lru_cache(maxsize=rng.choice([None, 8]))(lambda argument: [argument])
    if cache.cache_info().maxsize is None:
        cache(1)
    return cache


MAKERS = [
    lambda rng: {}, lambda rng: {"a": 1, "b": 2, 3: "c"}, lambda rng: Odd(a=1), lambda rng: collections.defaultdict(list, a=[]),
    lambda rng: collections.OrderedDict([("a", 1), ("b", 2), ("c", 3)]), lambda rng: [], lambda rng: [1, 2, 3],
    lambda rng: {1, 2, "three"}, lambda rng: collections.deque([1, 2, 3], rng.choice([None, 5])),
    lambda rng: bytearray(b"abc"), lambda rng: array.array("d", [1.0, 2.0]), lambda rng: random.Random(rng.random()),
    lambda rng: Thing(), lambda rng: Slotted(), lambda rng: type("Made", (Thing,), {"held": 1}),
    make_function, make_cache, lambda rng: (1, [2]), lambda rng: types.SimpleNamespace(a=1),
]


def key(rng):
    return rng.choice(["a", "b", "c", 3, (1, "x"), None, 2.5, Thing, b"bytes"])


def change_dict(rng, thing, value):
    action = rng.randrange(5)
    if action == 0 and thing:
        del thing[rng.choice(list(thing))]
    elif action == 1 and thing:
        thing.pop(next(iter(thing)))
    elif action == 2 and isinstance(thing, collections.OrderedDict) and thing:
        thing.move_to_end(rng.choice(list(thing)))
    elif action == 3 and rng.random() < 0.1:
        thing.update((at, value) for at in range(60))
    else:
        thing[key(rng)] = value


def change_list(rng, thing, value):
    action = rng.randrange(4)
    if action == 0 and thing:
        thing[rng.randrange(len(thing))] = value
    elif action == 1 and thing:
        thing.pop()
    elif action == 2:
        thing.reverse()
    else:
        rng.choice([thing.append, lambda one: thing.insert(0, one)])(value) if not full(thing) else thing.clear()


def full(thing):
    return getattr(thing, "maxlen", None) == len(thing)


def change_attributes(rng, thing, value):
    name = rng.choice(["left", "right"] if isinstance(thing, Slotted) else ["a", "b", "held", "shared"])
    if rng.random() < 0.3:
        try:
            delattr(thing, name)
        except AttributeError:
            pass
    elif rng.random() < 0.1 and hasattr(thing, "__dict__") and not isinstance(thing, (type, types.SimpleNamespace)):
        thing.__dict__ = vars(value) if type(value) is Thing else {name: value}
    elif rng.random() < 0.1 and type(thing) is Thing:
        thing.__class__ = type("Other", (Thing,), {})
    else:
        setattr(thing, name, value)


def change_function(rng, thing, value):
    action = rng.randrange(4)
    if action == 0:
        thing.__defaults__ = rng.choice([None, (value,)])
    elif action == 1:
        thing.__kwdefaults__ = {"keyword": value}
    elif action == 2:
        thing.__closure__[0].cell_contents = value
    else:
        change_attributes(rng, thing, value)


def change(rng, thing, value):
    """One thing that code could do to an object."""
    if isinstance(thing, dict):
        change_dict(rng, thing, value)
    elif isinstance(thing, (list, collections.deque)):
        change_list(rng, thing, value)
    elif isinstance(thing, set):
        rng.choice([thing.add, thing.discard])(rng.choice([1, 2, "three", "four", 5.0]))
    elif isinstance(thing, bytearray):
        rng.choice([thing.reverse, thing.clear, lambda: thing.append(1)])()
    elif isinstance(thing, array.array):
        rng.choice([thing.reverse, lambda: thing.append(1.5)])()
    elif isinstance(thing, random.Random):
        thing.random()
    elif isinstance(thing, types.FunctionType):
        change_function(rng, thing, value)
    elif hasattr(thing, "cache_clear"):
        thing(rng.randrange(5))
    elif not isinstance(thing, tuple):
        change_attributes(rng, thing, value)


def hang_together(rng, things):
    """Some things hold others, in circles too."""
    for _ in things:
        holder = rng.choice(things)
        if not isinstance(holder, (set, bytearray, array.array, random.Random)) and not hasattr(holder, "cache_clear"):
            change(rng, holder, rng.choice(things))


@pytest.mark.parametrize("by_bytes", [True, False], ids=["bytes", "objects"])
@pytest.mark.parametrize("seed", range(40))
def test_restoring_some_cells_leaves_the_others(seed, by_bytes, monkeypatch):
    monkeypatch.setattr(walk, "is_trusted", lambda: by_bytes)
    rng = random.Random(seed)
    things = [rng.choice(MAKERS)(rng) for _ in range(30)]
    hang_together(rng, things)
    world = World({"t%d" % at: thing for at, thing in enumerate(things)})
    marked = world.contents()
    for _ in range(rng.randrange(1, 60)):
        change(rng, rng.choice(things), rng.choice([None, 7, "new", [], {}, Thing(), rng.choice(things)]))
    changed, mutated = world.changes(), world.contents()
    asked = [path for path in changed if rng.random() < rng.choice([0.1, 0.5, 1])]
    failed = world.restore(asked)
    assert not failed or set(failed.values()) <= {"a bounded cache can only be emptied as a whole"}
    left, now = world.changes(), world.contents()
    assert set(left) == set(changed) - set(asked)
    for path, one in left.items():
        assert slots(one) == slots(changed[path]), path
    touched = show_each_other(world, [changed[path].holder for path in asked])
    different = [world.memory.objects[place] for place in now if now[place] != mutated[place]]
    assert [thing for thing in different if id(thing) not in touched] == []
    assert world.restore(list(left)) == {} and world.changes() == {}
    now = world.contents()
    assert [world.memory.objects[place] for place in marked if marked[place] != now[place]] == []


def show_each_other(world, holders):
    """Objects and their namespaces: what is put into one shows in the other."""
    wanted = set(map(id, holders)) | {id(vars(holder)) for holder in holders if hasattr(holder, "__dict__")}
    owners = [thing for thing in world.memory.objects if id(getattr(thing, "__dict__", None)) in wanted]
    return wanted | set(map(id, owners))


def slots(change):
    return [[raw(key), raw(old), raw(new)] for key, old, new in change.slots]


def raw(value):
    if type(value) in (bytes, slice):
        return value
    return list(map(id, value)) if type(value) is list else id(value)
