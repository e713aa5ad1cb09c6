"""Files that were written: what the layers of this process hold, compared with what they held at the mark.

A layer keeps what was written since it was made, under the real path of the file: whichever link it was written through, it
is one place. Knows layers; without them there is nothing to tell.
"""
import os
import stat

from .own import own
from .put import Refused
from .rebuild import exists, is_removal, rebuild
from .shapes import ABSENT

_MOST_BYTES = 1 << 20
_PREFIX = "file "
REMOVED = "<removed>"
_PYTESTS = {b"pytest-of-anyorder", b".pytest_cache"}


class Files:
    """What was written since the layer of the mark was made, with the state of each file."""

    def __init__(self, layers, root):
        self._layers = layers
        self._root = os.path.join(os.fsencode(root), b"")
        self._first = layers.depth

    def facts(self):
        """Path, kind and state of each file. A path that is not told is as it was in the layers below the first."""
        found = {}
        for depth in range(self._first, self._layers.depth + 1):
            for root, upper in self._layers.written(depth):
                for path in _files_below(upper):
                    state = _state(os.path.join(upper, path))
                    if state is not None:
                        name = self._name(os.path.join(root, path))
                        if state == REMOVED:
                            _forget_below(name + "/", found)  # a directory that is gone, with all that lower layers have in it
                        found[name] = "file", state
        return found

    def before(self, path):
        """The state of a file before the first layer."""
        states = [_state(place, True) for place in self._places(path, self._first)]
        state = next((state for state in states if state is not None), REMOVED)
        return ABSENT if state == REMOVED else state

    def reader(self, path):
        """Reads what changes whenever a file does; nothing if a path is not that of a file."""
        if not path.startswith(_PREFIX):
            return None
        place = self._full(path)

        def read():
            try:
                status = own.lstat(place)
                return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns
            except OSError:
                return ABSENT

        return read

    def put_back(self, path, was_in_first):
        """Makes a file as it was at the mark. `was_in_first` says that the layer of the mark had it by then."""
        depth = self._first + (self._layers.depth > self._first)
        if was_in_first and depth == self._first:
            raise Refused("it was written over in the layer of disk that had it")
        path = self._full(path)
        rebuild(path, lambda inner: self._places(inner, depth))
        parent = os.path.dirname(path)
        while self._layers.covers(parent) and not own.listdir(parent) and not exists(self._places(parent, depth)):
            own.rmdir(parent)
            parent = os.path.dirname(parent)

    def _places(self, path, depth):
        """Where the layers below `depth` would have a file, the uppermost first."""
        path = self._full(path)
        for number, (root, _) in reversed(list(enumerate(self._layers.written(0)))):
            if path.startswith(root + b"/"):
                return [place + path[len(root):] for place in self._layers.below(depth, number)]
        return []

    def _full(self, path):
        if type(path) is str:
            path = os.fsencode(path[len(_PREFIX):])
        return os.path.join(self._root, path)

    def _name(self, path):
        """Relative to the root of the suite, where it is below that."""
        return _PREFIX + os.fsdecode(path[len(self._root):] if path.startswith(self._root) else path)


def _forget_below(prefix, found):
    for name in [name for name in found if name.startswith(prefix)]:
        del found[name]


def _files_below(upper):
    """Relative paths, without pytest's own directories."""
    waiting = [b""]
    while waiting:
        directory = waiting.pop()
        try:
            names = own.listdir(os.path.join(upper, directory))
        except OSError:
            continue
        for name in names:
            path = os.path.join(directory, name)
            if name in _PYTESTS:
                continue
            yield path
            try:
                if stat.S_ISDIR(own.lstat(os.path.join(upper, path)).st_mode):
                    waiting.append(path)
            except OSError:
                continue


def _state(path, tells_all_directories=False):
    """A text that says what is there. A directory that holds something is there because of that."""
    try:
        status = own.lstat(path)
        if is_removal(status):
            return REMOVED
        if stat.S_ISLNK(status.st_mode):
            return "<link to %s>" % os.fsdecode(own.readlink(path))
        if stat.S_ISDIR(status.st_mode):
            return "<directory>" if tells_all_directories or not own.listdir(path) else None
        if stat.S_ISREG(status.st_mode):
            return "<%d bytes, %s>" % (status.st_size, _digest(path))
        return "<special file>"
    except OSError:
        return None


def _digest(path):
    descriptor = own.open(path, os.O_RDONLY | own.O_CLOEXEC)
    try:
        data = own.read(descriptor, _MOST_BYTES)
    finally:
        own.close(descriptor)
    return own.digest(data).hexdigest()[:16]
