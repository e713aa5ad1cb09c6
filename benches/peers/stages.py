"""Runs detect-test-pollution as it is, and says how much CPU its runs of pytest took.

Arguments as for the tool itself. The last line that is printed is JSON: milliseconds of CPU of each run after discovery.
"""
import json
import resource
import sys

import detect_test_pollution as tool

runs = []
run_list = tool._passed_with_testlist


def children_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


def measured(*args):
    before = children_ms()
    try:
        return run_list(*args)
    finally:
        runs.append(children_ms() - before)


tool._passed_with_testlist = measured
code = tool.main(sys.argv[1:])
print(json.dumps(runs))
raise SystemExit(code)
