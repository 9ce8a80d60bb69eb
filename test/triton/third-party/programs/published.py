"""Runs a published test file against a server, and prints one line of JSON for each test: its name and what happened.

The file stays unchanged. The ports in its text, and in the modules next to it, are replaced as Python reads them.
"""

import asyncio
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import unittest
import urllib.request

folder, file, ports, classes, unregisters = json.loads(sys.argv[1])
read = importlib.machinery.SourceFileLoader.get_data
sys.dont_write_bytecode = True


def get_data(loader, path):
    data = read(loader, path)
    if not os.path.realpath(path).startswith(os.path.realpath(folder)):
        return data
    text = re.sub(r":800([012])\b", lambda found: f":{ports[int(found[1])]}", data.decode())
    return text.replace('"localhost"', '"127.0.0.1"').replace("localhost:", "127.0.0.1:").encode()


importlib.machinery.SourceFileLoader.get_data = get_data


def last_line(error):
    text = str(error[1]).strip() or error[0].__name__
    return f"{error[0].__name__}: {text}"[:600]


class Verdicts(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.failed = {}

    def startTest(self, test):
        super().startTest(test)
        print(json.dumps({"starts": name_of(test)}), flush=True)

    def addError(self, test, err):
        self.failed[test.id()] = last_line(err)

    def addFailure(self, test, err):
        self.failed[test.id()] = last_line(err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.failed[test.id()] = last_line(err)

    def addSkip(self, test, reason):
        self.failed[test.id()] = f"skipped: {reason}"

    def stopTest(self, test):
        super().stopTest(test)
        if unregisters:
            url = f"http://127.0.0.1:{ports[0]}/v2/systemsharedmemory/unregister"
            urllib.request.urlopen(urllib.request.Request(url, b"{}")).read()
        print(json.dumps({"test": name_of(test), "failed": self.failed.get(test.id())}), flush=True)


def name_of(test):
    return ".".join(test.id().split(".")[-2:])


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        elif not classes or any(re.search(pattern, name_of(test)) for pattern in classes):
            yield test


sys.path.insert(0, os.getcwd())
asyncio.set_event_loop(asyncio.new_event_loop())
name = os.path.splitext(os.path.basename(file))[0]
spec = importlib.util.spec_from_file_location(name, file)
module = importlib.util.module_from_spec(spec)
sys.modules[name] = module
spec.loader.exec_module(module)
suite = unittest.TestSuite(tests_of(unittest.defaultTestLoader.loadTestsFromModule(module)))
suite.run(Verdicts())
sys.stdout.flush()
os._exit(0)
