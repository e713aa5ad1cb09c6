"""The agent's own copies of everything it calls while tests run.

Tests replace `json.dumps`, `time.time`, `os.fork` or `socket.socket`, and some tools (freezegun) replace every module
attribute that *is* such a function. So the originals are bound here, early, as attributes of a plain object.
This module does nothing with them.
"""
import _abc
import _locale
import _lsprof
import _socket
import _struct
import ast
import atexit
import bisect
import contextvars
import fcntl
import gc
import hashlib
import itertools
import json
import operator
import os
import re
import signal
import sys
import threading
import time
import warnings
from _json import encode_basestring_ascii


class _Own:
    """A namespace that is not a module, so that tools which patch modules do not look into it."""


own = _Own()
own.abc_register = _abc._abc_register
own.abc_reset_caches = _abc._reset_caches
own.abc_reset_registry = _abc._reset_registry
own.add_audit_hook = getattr(sys, "addaudithook", None)
own.atexit_count = atexit._ncallbacks
own.call_counter = _lsprof.Profiler
own.chain = itertools.chain.from_iterable
own.place_in = bisect.bisect_left
own.class_registrations = _abc._get_dump
own.class_registrations_token = _abc.get_cache_token
own.clock = time.perf_counter
own.compile = compile
own.context = contextvars.copy_context
own.new_context = contextvars.Context
own.cpu = time.process_time
own.digest = hashlib.sha256
own.fields = _struct.Struct
own.default_timeout = _socket.getdefaulttimeout
own.gc_count = gc.get_threshold
own.gc_debug = gc.get_debug
own.gc_disable = gc.disable
own.gc_enable = gc.enable
own.gc_enabled = gc.isenabled
own.gc_objects = gc.get_objects
own.either = operator.or_
own.is_not = operator.is_not
own.literal = ast.literal_eval
own.local_time = time.localtime
own.locale = _locale.setlocale
own.LC_ALL = _locale.LC_ALL
own.getsignal = signal.getsignal
own.execute = exec
own.frame = sys._getframe
own.fsdecode = os.fsdecode
own.normal_path = os.path.normpath
own.monitoring = getattr(sys, "monitoring", None)
own.parse = ast.parse
own.pattern = re.compile
own.profiler = sys.getprofile
own.recursion_limit = sys.getrecursionlimit
own.referents = gc.get_referents
own.referrers = gc.get_referrers
own.set_default_timeout = _socket.setdefaulttimeout
own.set_gc_debug = gc.set_debug
own.set_gc_threshold = gc.set_threshold
own.set_profiler = sys.setprofile
own.set_profiler_of_threads = threading.setprofile
own.set_recursion_limit = sys.setrecursionlimit
own.set_signal = signal.signal
own.set_switch_interval = sys.setswitchinterval
own.set_timer = signal.setitimer
own.set_tracer = sys.settrace
own.set_tracer_of_threads = threading.settrace
own.signals = sorted(signal.Signals)
own.switch_interval = sys.getswitchinterval
own.timer = signal.getitimer
own.tracer = sys.gettrace
own.umask = os.umask
own.environ = os.environ
own.chdir = os.chdir
own.chmod = os.chmod
own.chown = os.chown
own.close = os.close
own.dup2 = os.dup2
own.exit = os._exit
own.fchdir = os.fchdir
own.fcntl = fcntl.fcntl
own.F_DUPFD_CLOEXEC = fcntl.F_DUPFD_CLOEXEC
own.fork = getattr(os, "fork", None)
own.fstat = os.fstat
own.lseek = os.lseek
own.lstat = os.lstat
own.collect_garbage = gc.collect
own.getcwd = os.getcwdb
own.getpid = os.getpid
own.getppid = os.getppid
own.getuid = os.getuid
own.kill = os.kill
own.listdir = os.listdir
own.mkdir = os.mkdir
own.memfd = getattr(os, "memfd_create", None)
own.open = os.open
own.O_RDWR = os.O_RDWR
own.O_CLOEXEC = os.O_CLOEXEC
own.O_PATH = getattr(os, "O_PATH", 0)
own.O_TMPFILE = getattr(os, "O_TMPFILE", 0)
own.putenv = os.putenv
own.quote = encode_basestring_ascii
own.read = os.read
own.readlink = os.readlink
own.scan_json = json.JSONDecoder().scan_once
own.rmdir = os.rmdir
own.setpgid = os.setpgid
own.SIGKILL = signal.SIGKILL
own.socket = _socket.socket
own.AF_UNIX = _socket.AF_UNIX
own.SOCK_STREAM = _socket.SOCK_STREAM
own.stat = os.stat
own.symlink = os.symlink
own.threads = threading.enumerate
own.unlink = os.unlink
own.unsetenv = os.unsetenv
own.utime = os.utime
own.waitpid = os.waitpid
own.WNOHANG = os.WNOHANG
own.write = os.write
own.catch_warnings = warnings.catch_warnings
own.simplefilter = warnings.simplefilter
own.version = sys.version_info
