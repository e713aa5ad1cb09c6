"""Files that were written: what the layers of this process hold, compared with what they held at the mark.

A layer keeps what was written since it was made, under the real path of the file: whichever link it was written through, it
is one place. Knows layers; without them there is nothing to tell.
"""
import os
import stat

from .own import own
from .shapes import ABSENT

_MOST_BYTES = 1 << 20
_PREFIX = "file "
_PYTESTS = b"pytest-of-anyorder"


class Files:
    """What was written since the layer of the mark was made, with the state of each file."""

    def __init__(self, layers):
        self._layers = layers
        self._first = layers.depth

    def facts(self):
        """Path, kind and state of each file. A path that is not told is as it was in the layers below the first."""
        found = {}
        for depth in range(self._first, self._layers.depth + 1):
            for root, upper in self._layers.written(depth):
                for path in _files_below(upper):
                    state = _state(os.path.join(upper, path))
                    if state is not None:
                        found[_PREFIX + os.fsdecode(os.path.join(root, path))] = "file", state
        return found

    def before(self, path):
        """The state of a file before the first layer."""
        path = os.fsencode(path[len(_PREFIX):])
        for number, (root, _) in reversed(list(enumerate(self._layers.written(0)))):
            if path.startswith(root + b"/"):
                states = [_state(place + path[len(root):]) for place in self._layers.below(self._first, number)]
                return next((state for state in states if state not in (None, "<removed>")), ABSENT)
        return ABSENT


def _files_below(upper):
    """Relative paths, without pytest's own temporary directory."""
    waiting = [b""]
    while waiting:
        directory = waiting.pop()
        try:
            names = own.listdir(os.path.join(upper, directory))
        except OSError:
            continue
        for name in names:
            path = os.path.join(directory, name)
            if name == _PYTESTS:
                continue
            yield path
            try:
                if stat.S_ISDIR(own.lstat(os.path.join(upper, path)).st_mode):
                    waiting.append(path)
            except OSError:
                continue


def _state(path):
    """A text that says what is there."""
    try:
        status = own.lstat(path)
        if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
            return "<removed>"
        if stat.S_ISLNK(status.st_mode):
            return "<link to %s>" % os.fsdecode(own.readlink(path))
        if stat.S_ISDIR(status.st_mode):
            return None if own.listdir(path) else "<directory>"
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
