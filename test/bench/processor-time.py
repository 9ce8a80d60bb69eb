"""Runs a command and prints, in seconds, how long it took and the processor time of the command and its threads."""

import resource
import subprocess
import sys
import time

start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, capture_output=True)
took = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(took, used.ru_utime + used.ru_stime)
