"""A small engine for tests: starts pytest with the agent inside, and talks to it over the wire."""
import json
import os
import socket
import subprocess
import sys
import textwrap

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIXTURES = os.path.join(HOME, "..", "..", "fixtures", "pytest")
SHARE_OF_KINDS = int(os.environ.get("ANYORDER_TEST_SHARE_OF_KINDS", "1"))  # every so many, where all of them take too long


class Node:
    """A connection to one process of the agent's."""

    def __init__(self, connection):
        self._connection = connection

    def ask(self, verb, until, **fields):
        """Sends a request; all messages up to one of the kind that ends the answer."""
        self.tell(verb, **fields)
        said = []
        while not said or said[-1]["say"] != until:
            said.append(self.hear())
            assert said[-1]["say"] != "trouble", said[-1]["text"]
        return said

    def tell(self, verb, **fields):
        body = json.dumps(dict(fields, verb=verb)).encode()
        self._connection.sendall(len(body).to_bytes(4, "big") + body)

    def hear(self):
        return json.loads(self._read(int.from_bytes(self._read(4), "big")).decode())

    def run(self, *tests, **fields):
        """The outcomes of these tests."""
        said = self.ask("run", "ran", tests=list(tests), finish=fields.get("finish", False), output=False)
        return [message for message in said if message["say"] == "outcome"]

    def understood(self, outcome):
        """A traced outcome, with all that its code looks at."""
        studied = self.ask("study", "studied", code=outcome["ran"])[-1]["code"]
        reads = set(outcome["reads"]).union(*[code["names"] for code in studied])
        code = outcome["code"] + [code["code"] for code in studied if code["code"] is not None]
        return dict(outcome, reads=sorted(reads), code=code)

    def diff(self, advance=False):
        """The cells that have changed, by path."""
        return {cell["path"]: cell for cell in self.ask("diff", "differs", advance=advance)[-1]["cells"]}

    def written(self, test, *cells, **fields):
        """What a test wrote to these cells, by path."""
        self.tell("follow", cells=list(cells))
        (outcome,) = self.run(test, **fields)
        return {write["path"]: write for write in outcome["written"]}

    def approach(self, test):
        self.ask("approach", "approached", test=test)

    def restore(self, *cells, **fields):
        """How many cells went back, and why others did not."""
        said = self.ask("restore", "restored", cells=list(cells), **fields)[-1]
        return said["restored"], {cell["path"]: cell["why"] for cell in said["failed"]}

    def about(self, *cells):
        """What is told about these cells, by path and without what is not known."""
        said = self.ask("about", "about", cells=list(cells))[-1]["cells"]
        return {cell["path"]: {name: value for name, value in cell.items() if value is not None} for cell in said}

    def attempt(self, text, beside=0):
        """Why these statements fail, or nothing."""
        return self.ask("try", "tried", text=text, beside=beside)[-1]["failed"]

    def close(self):
        self.tell("exit", reap=[])
        self._connection.close()

    def _read(self, length):
        parts = b""
        while len(parts) < length:
            part = self._connection.recv(length - len(parts))
            assert part, "the agent has gone"
            parts += part
        return parts


class Engine:
    """pytest in `directory`, collected and waiting."""

    def __init__(self, directory, scratch, seed=0, records=False):
        address = os.path.join(str(scratch), "wire-%d" % seed)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(address)
        self._listener.listen(8)
        self._listener.settimeout(2)
        orders = dict(socket=address, node=0, scratch=str(scratch), path=HOME, moved=None, layers=None, records=records)
        orders["restore"] = {"PYTEST_ADDOPTS": None, "PYTHONPATH": None}
        environment = dict(os.environ, PYTHONHASHSEED=str(seed), PYTHONPATH=HOME, ANYORDER_AGENT=json.dumps(orders))
        environment.update(PYTEST_ADDOPTS="-p anyorder_agent", PYTHONDONTWRITEBYTECODE="1")
        environment.pop("PYTEST_CURRENT_TEST", None)
        self._log = os.path.join(str(scratch), "log-%d" % seed)
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pytest"], cwd=str(directory), env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )
        self.zygote = self._accept()
        self.ready = self.zygote.hear()
        collected = self.zygote.ask("collect", "collected")[-1]
        self.tests = [test["id"] for test in collected["tests"]]
        self.collection = collected.get("collection")
        self._nodes = 0

    def fork(self, node):
        self._nodes += 1
        node.tell("fork", node=self._nodes, reap=[])
        child = self._accept()
        assert node.hear()["say"] == "forked"
        return child

    def _accept(self):
        while True:
            try:
                node = Node(self._listener.accept()[0])
                node.hear()
                return node
            except socket.timeout:
                with open(self._log, encoding="utf-8", errors="replace") as log:
                    assert self._process.poll() is None, log.read()

    def close(self):
        self.zygote.close()
        self._process.wait(30)
        self._listener.close()


def marked_suite(scratch, files):
    """An engine on a suite with these files, and a process that has marked its state."""
    directory = scratch / "suite"
    directory.mkdir(exist_ok=True)
    for name, text in files.items():
        file = directory / (name + ".py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    (directory / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -p no:cacheprovider\n")
    engine = Engine(directory, scratch)
    fresh = engine.fork(engine.zygote)
    fresh.ask("mark", "marked")
    return engine, fresh
