"""Makes files and directories as layers of disk have them that lie below.

Knows how a layer says that something was removed. Takes the places where layers would have a file, the uppermost first; does
not know which layers there are.
"""
import os
import stat

from .own import own
from .put import Refused

_PART = 1 << 20


def is_removal(status):
    """Whether this is how a layer says that what lower ones have is gone."""
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def exists(places):
    return _source(places) is not None


def rebuild(path, places_of):
    """Makes what is at `path` as it is below; `places_of` gives the places of a path."""
    source = _source(places_of(path))
    status = own.lstat(source) if source is not None else None
    _clear(path, status)
    if status is None:
        return
    if stat.S_ISDIR(status.st_mode):
        _rebuild_directory(path, places_of)
    elif stat.S_ISLNK(status.st_mode):
        own.symlink(own.readlink(source), path)
        return
    elif stat.S_ISREG(status.st_mode):
        _copy(source, path)
    else:
        raise Refused("it was a special file")
    own.chmod(path, stat.S_IMODE(status.st_mode))
    own.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _source(places):
    """The place that has it, if there is one that counts."""
    for place in places:
        status = _status(place)
        if status is not None:
            return None if is_removal(status) else place
    return None


def _status(path):
    try:
        return own.lstat(path)
    except OSError:
        return None


def _clear(path, wanted):
    """Makes room. A file that is to be a file again keeps its place: it may be open, or have other names."""
    there = _status(path)
    if there is None:
        return
    if wanted is not None and stat.S_IFMT(there.st_mode) == stat.S_IFMT(wanted.st_mode) and not stat.S_ISLNK(there.st_mode):
        return
    if stat.S_ISDIR(there.st_mode):
        for name in own.listdir(path):
            _clear(os.path.join(path, name), None)
        own.rmdir(path)
    else:
        own.unlink(path)


def _rebuild_directory(path, places_of):
    if _status(path) is None:
        own.mkdir(path, 0o700)
    names = {}
    for place in places_of(path):
        status = _status(place)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            break
        names.update(dict.fromkeys(own.listdir(place) if status is not None else ()))
    for name in names:
        rebuild(os.path.join(path, name), places_of)


def _copy(source, path):
    reading = own.open(source, os.O_RDONLY | own.O_CLOEXEC)
    try:
        writing = own.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | own.O_CLOEXEC, 0o600)
        try:
            part = own.read(reading, _PART)
            while part:
                while part:
                    part = part[own.write(writing, part):]
                part = own.read(reading, _PART)
        finally:
            own.close(writing)
    finally:
        own.close(reading)
