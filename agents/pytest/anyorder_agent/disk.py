"""A layer of disk for each forked child: what it writes is seen by itself and by what is forked from it.

The keeper has made the first layer. `layers` says where its parts are (`disk/overlay.rs` has the same in Rust). Knows
paths and mounts; does not know who asks for a layer, nor why.
"""
import os
import stat

from . import kernel
from .own import own


class Layers:
    """The directories that get layers, and how many layers this process stands on."""

    def __init__(self, orders):
        self._base = os.fsencode(orders["base"])
        self._roots = [os.fsencode(root) for root in orders["roots"]]
        self._shown = [os.fsencode(path) for path in orders["shown"]]
        self._first_option = b"userxattr," if orders["in_user_namespace"] else b"redirect_dir=on,"
        self._has_few_rights = orders["in_user_namespace"] and own.getuid() != 0
        if self._has_few_rights:
            kernel.lay_rights_aside()
        self._memory = b"size=%d,mode=700" % orders["size"]
        self._depth = 0

    def can_add(self):
        """Whether a child could get a layer."""
        return kernel.can(self.add)

    def add(self):
        """Run in a child, while it has one thread."""
        if self._has_few_rights:
            kernel.take_rights_up()
            try:
                self._add()
            finally:
                kernel.lay_rights_aside()
        else:
            self._add()

    def _add(self):
        here, place = _working_directory(), own.open(b".", own.O_PATH | own.O_CLOEXEC)
        kernel.own_mounts()
        own.chdir(self._base)  # the kernel takes only a page of options, so the paths in them have to be short
        shown = [(path, _handle(path)) for path in self._shown]
        self._depth += 1
        layer = b"%d" % self._depth
        kernel.mount(b"tmpfs", layer, self._memory)
        for number, root in enumerate(self._roots):
            self._cover(number, root, layer)
            for path, handle in shown:
                if handle is not None and self._innermost(path) == root:
                    kernel.show(handle, path)
        for _, handle in shown:
            if handle is not None:
                own.close(handle)
        if here is not None:
            own.chdir(here)  # its path leads to the new layer
        else:
            own.fchdir(place)
        own.close(place)

    def _cover(self, number, root, layer):
        upper = b"%s/u%d" % (layer, number)
        work = b"%s/w%d" % (layer, number)
        own.mkdir(work, 0o700)
        own.mkdir(upper, 0o700)
        status = own.stat(root)
        _look_like(upper, status)
        below = [b"%d/u%d" % (depth, number) for depth in range(self._depth - 1, -1, -1)]
        below.append(b"low%d" % number)
        options = b"%slowerdir=%s,upperdir=%s,workdir=%s" % (self._first_option, b":".join(below), upper, work)
        kernel.mount(b"overlay", root, options)

    def _innermost(self, path):
        """The root that a path is in; roots may be inside others, which come later."""
        return [root for root in self._roots if path.startswith(root + b"/")][-1]

    @property
    def depth(self):
        """How many layers this process stands on."""
        return self._depth

    def written(self, depth):
        """For each root: its path, and the directory where the layer at `depth` keeps what was written below it."""
        return [(root, b"%s/%d/u%d" % (self._base, depth, number)) for number, root in enumerate(self._roots)]

    def below(self, depth, number):
        """Where the layers under `depth` keep the same root, the uppermost first."""
        layers = [b"%s/%d/u%d" % (self._base, layer, number) for layer in range(depth - 1, -1, -1)]
        return layers + [b"%s/low%d" % (self._base, number)]

    def covers(self, path):
        path = os.fsencode(path)
        return any(path.startswith(root + b"/") for root in self._roots)


def _look_like(directory, status):
    own.chmod(directory, stat.S_IMODE(status.st_mode))
    if status.st_uid != own.getuid():
        try:
            own.chown(directory, status.st_uid, status.st_gid)
        except OSError:
            pass  # in a user namespace there is only this user


def _handle(path):
    try:
        return own.open(path, own.O_PATH | own.O_CLOEXEC)
    except OSError:
        return None  # it has gone meanwhile


def _working_directory():
    try:
        return own.getcwd()
    except OSError:
        return None  # a test has removed it
