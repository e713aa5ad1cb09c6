"""Remembers the shared state of this process: all that can be reached from its modules and other roots.

The walk goes breadth first, so that an object is known by the shortest way to it. New objects can only hang below a slot of
an object that was there before, so what the old ones hold is all there is to compare. Knows objects and who holds
them; names are made in `names.py`.
"""
import types
from array import array

from .image import is_trusted, most_at_once
from .saved import Chunk
from .shapes import DEQUE, DICT, LEAF, LIST, ORDERED, PASS, SET, below, is_a, of_class, shape_of

# Items of these have no names of their own, so it matters by which names the container is known.
_NAMELESS = {DICT, ORDERED, LIST, SET, DEQUE, PASS}


class Memory:
    """Every object that was found, with its first holder, its other holders, and what it held."""

    def __init__(self, modules, library, passed_over):
        """`modules` by their names; functions and classes of the `library` are not compared, only who holds them; the
        walk does not enter what is `passed_over`."""
        self.library = library
        self.objects = []
        self.modules = modules
        self.labels = {}  # of roots, by place
        self._holders = array("i")
        self._others = {}
        self._places = dict.fromkeys(map(id, passed_over), -1)
        self._passed_over = passed_over  # kept, so that no other object gets their addresses
        self._chunks = {}  # by number
        self._chunk_of = {}
        self._number = 0
        self._numbers = {}  # of chunks, by group
        self._touched = set()  # numbers of chunks that have lost a holder to a later one
        self._fresh = {}
        self._has_images = is_trusted()
        self.add_roots(modules.items())

    def add_roots(self, roots):
        """Walks on from more roots."""
        begin = len(self.objects)
        for label, root in roots:
            if shape_of(type(root)).group == LEAF:
                continue
            if id(root) not in self._places:
                self._add(root, -1)
            place = self._places[id(root)]
            if place >= 0 and label not in self.labels.setdefault(place, []):
                self.labels[place].append(label)
        self._walk(begin)

    def module(self, name):
        return self.modules.get(name)

    def place(self, thing):
        """Where an object is among those remembered; nothing if it is new."""
        place = self._places.get(id(thing), -1)
        return place if place >= 0 else None

    def holder(self, place):
        """The place of what an object was found in; nothing for a root."""
        holder = self._holders[place]
        return holder if holder >= 0 else None

    def holders(self, place):
        """Everything that is known to hold an object without giving it a name."""
        first = self._holders[place]
        return ([first] if first >= 0 else []) + list(self._others.get(place, ()))

    def then(self, place):
        """What an object held; nothing if its contents are not remembered."""
        found = self._chunk_of.get(place)
        return None if found is None else self._chunks[found[0]].then(found[1])

    def changed(self):
        """Object, group, contents then and now, of all that have changed."""
        for chunk in self._chunks.values():
            for at, then, now in chunk.changed():
                yield chunk.holders[at], chunk.group, then, now

    def advance(self, holders):
        """Takes these as they are now, and walks the new objects there."""
        begin = len(self.objects)
        for holder in holders:
            place = self._places[id(holder)]
            chunk, at = self._chunk_of[place]
            self._chunks[chunk].retire(at)
            self._touched.add(chunk)
            self._fresh.setdefault(self._chunks[chunk].group, []).append(place)
            self._look_below(holder, place)
        self._walk(begin)

    def settle(self):
        """To be called when everything is remembered as it is now: makes the next look cheaper."""
        for number in sorted(self._touched):
            self._chunks[number].settle()
        self._touched = set()
        for group, numbers in self._numbers.items():
            while len(numbers) > 1 and self._should_unite(group, *numbers[-2:]):
                places = [place for number in numbers[-2:] for place in self._places_of(number)]
                del self._chunks[numbers.pop()], self._chunks[numbers.pop()]
                self._save(group, places)

    def _should_unite(self, group, last_but_one, last):
        """So the chunks of a group stay few, and a holder moves seldom."""
        before, after = self._chunks[last_but_one].living, self._chunks[last].living
        return before <= 2 * after and before + after <= most_at_once(group)

    def _places_of(self, number):
        holders = self._chunks[number].holders
        places = [self._places[id(holder)] for holder in holders]
        return [place for at, place in enumerate(places) if self._chunk_of[place] == (number, at)]

    def _add(self, thing, holder):
        place = self._places[id(thing)] = len(self.objects)
        self.objects.append(thing)
        self._holders.append(holder)
        group = shape_of(type(thing)).group
        if group != PASS and not self._is_of_library(thing):
            self._fresh.setdefault(group, []).append(place)

    def _is_of_library(self, thing):
        if type(thing) is types.FunctionType:
            module = thing.__module__
        elif is_a(thing, type):
            module = of_class(thing, "__module__")
        else:
            return False
        return type(module) is str and module in self.library

    def _walk(self, begin):
        objects = self.objects
        at = begin
        while at < len(objects):
            self._look_below(objects[at], at)
            at += 1
        self._save_fresh()

    def _look_below(self, holder, at):
        places = self._places
        for thing in below(holder):
            group = shape_of(type(thing)).group
            if group == LEAF:
                continue
            place = places.get(id(thing))
            if place is None:
                self._add(thing, at)
            elif group in _NAMELESS and place >= 0 and self._holders[place] != at:
                self._others.setdefault(place, []).append(at)

    def _save_fresh(self):
        for group, places in sorted(self._fresh.items()):
            self._save(group, places)
        self._fresh = {}

    def _save(self, group, places):
        for start in range(0, len(places), most_at_once(group)):
            part = places[start:start + most_at_once(group)]
            number = self._number = self._number + 1
            self._chunk_of.update((place, (number, at)) for at, place in enumerate(part))
            self._chunks[number] = Chunk(group, [self.objects[place] for place in part], self._has_images)
            self._numbers.setdefault(group, []).append(number)
