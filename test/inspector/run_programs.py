"""Runs the Python programs whose paths it reads. Each gets a process of its own, which already has the libraries that they import."""

import json
import os
import runpy
import sys
import traceback

# ruff: noqa: F401
import numpy
import PIL.Image
import requests
import tritonclient.grpc
import tritonclient.http

for line in sys.stdin:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        status = 0
        try:
            runpy.run_path(line.strip(), run_name="__main__")
        except Exception:
            traceback.print_exc(file=sys.stdout)
            status = 1
        sys.stdout.flush()
        os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as printed:
        output = printed.read()
    print(json.dumps([os.waitpid(child, 0)[1], output]), flush=True)
