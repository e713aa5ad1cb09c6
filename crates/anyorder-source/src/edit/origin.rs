//! Where a module comes from: people keep imports of each origin apart, in this order.

use std::collections::BTreeSet;

use crate::Import;

/// Where a module comes from, as far as that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Future,
    Standard,
    Installed,
    /// The project itself.
    Own,
}

/// Modules of Python itself, those of versions that are gone and those for few systems among them.
const STANDARD: &str = "abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code \
    codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg ctypes curses \
    cProfile csv dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno \
    faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip \
    hashlib heapq hmac html http imaplib imp importlib inspect io ipaddress itertools json keyword linecache locale logging \
    lzma mailbox marshal math mimetypes mmap modulefinder multiprocessing netrc numbers operator optparse os pathlib pdb \
    pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr \
    pydoc queue quopri random re readline reprlib resource runpy sched secrets select selectors shelve shlex shutil \
    signal site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys \
    sysconfig syslog tarfile tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback \
    tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xml \
    xmlrpc zipapp zipfile zipimport zlib zoneinfo";

impl Origin {
    /// That of a module; `own` are the first names of those of the project.
    pub(super) fn of(import: &Import, own: &BTreeSet<String>) -> Self {
        match root(import) {
            "__future__" => Origin::Future,
            root if import.level > 0 || own.contains(root) => Origin::Own,
            root if STANDARD.split(' ').any(|name| name == root) => Origin::Standard,
            _ => Origin::Installed,
        }
    }
}

/// The first name of the module.
pub(super) fn root(import: &Import) -> &str {
    import.module.split('.').next().unwrap_or_default()
}
