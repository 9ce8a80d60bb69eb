"""Closes a loop while one of its steps fails as a whole, and a row arrives. Prints the messages that the rows got, and whether the loop still runs.

The argument is the folder of `loop.py`.
"""

import importlib
import json
import sys
import threading
import time
from types import SimpleNamespace

sys.modules["decoding"] = SimpleNamespace(NothingFollows=Exception)
sys.modules["sessions"] = SimpleNamespace(Decoder=object)
sys.path.insert(0, sys.argv[1])

Loop = importlib.import_module("loop").Loop


class Row:
    def __init__(self):
        self.seen = []
        self.search = SimpleNamespace(prompt=[1])

    def is_wanted(self):
        return not self.seen

    def fail(self, error):
        self.seen.append(str(error))


def open_decoder():
    loop.add(arriving)
    threading.Thread(target=loop.close, daemon=True).start()
    while loop.arrivals.qsize() < 2:
        time.sleep(0.001)
    raise MemoryError("out of memory")


starting, arriving = Row(), Row()
loop = Loop(open_decoder)
loop.add(starting)
loop.thread.join(5)
print(json.dumps([starting.seen, arriving.seen, loop.thread.is_alive()]))
