"""Marks, compares and restores a heap of two million objects, and tells what that costs: `python tests/large_heap.py`."""
import gc
import importlib
import os
import resource
import sys
import time
import types

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
package = sys.modules.setdefault("stub_of_agent", types.ModuleType("stub_of_agent"))
package.__path__ = [os.path.join(HOME, "anyorder_agent")]
cells, names, restore, walk = [
    importlib.import_module("stub_of_agent." + name) for name in ("cells", "names", "restore", "walk")
]
ROWS = 200000  # of ten objects each


class Row:
    def __init__(self, number):
        self.number = number
        self.tags = [number, "tag"]
        self.links = {"next": [], "index": {number: None}}
        self.seen = {number, "seen"}
        self.pair = ([number], (number, []))


def main():
    module = types.ModuleType("large")
    module.rows = [Row(number) for number in range(ROWS)]
    built = peak()
    gc.disable()  # as the agent does while it looks
    begun = time.process_time()
    memory = walk.Memory({"large": module}, set(), [])
    marked = time.process_time()
    for row in module.rows[::ROWS // 100]:
        row.tags.append("new")
        row.links["index"] = {}
        row.other = row
    teller = cells.Teller(memory, names.Names(memory))
    changes = teller.changes(list(memory.changed()))
    told = [teller.told(change) for change in changes]
    compared = time.process_time()
    failed = restore.put_back(changes, changes, memory, names.Names(memory), None)
    left = list(memory.changed())
    restored = time.process_time()
    print("%d objects, %d cells, %d failed, %d left" % (len(memory.objects), len(told), len(failed), len(left)))
    print("mark %.1f s, diff %.1f s, restore %.1f s" % (marked - begun, compared - marked, restored - compared))
    print("%d MiB, of which %d were there before" % (peak(), built))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
