"""Step numbered: a TypeScript function of the rows of one request, with JavaScript's semantics.

A string is a str of UTF-16 units, a number a float or an int, a bigint an int, null None.
"""

import json
import signal
import threading
import traceback
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

STEP = "numbered"  # name of this model, for messages
TIME_LIMIT = 10  # time limit in seconds for the rows of one request


# JavaScript's behaviour where Python's differs.


class Undefined:
    """JavaScript's undefined; None is its null."""

    __slots__ = ()

    def __bool__(self):
        return False

    def __repr__(self):
        return "undefined"


undefined = Undefined()


def units(text):
    """A Python string as UTF-16 units: a character beyond U+FFFF becomes two."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return text if len(raw) == 2 * len(text) else "".join(map(chr, memoryview(raw).cast("H")))


def utf8(text):
    """The bytes of a string for a BYTES tensor: a lone surrogate becomes U+FFFD."""
    return text.encode() if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


# The translated function.


def run(row_):
    text = row_["text"]
    data = text["data"]
    shape = text["shape"]
    return {
        "line": {
            "data": [f"{row + 1}/{len(data)} {line}" for row, line in enumerate(data)],
            "shape": shape,
        },
    }


# Converts Triton's tensors to the function's values and back. lines.json maps lines of this file to TypeScript.


def texts(name, array):
    found = []
    for index, value in enumerate(array.reshape(-1)):
        try:
            found.append(units(value.decode("utf-8")))
        except UnicodeDecodeError:
            row = index * len(array) // array.size
            raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
    return found


def encoded(what, values):
    demand(what, values, "string", str)
    return np.array([utf8(value) for value in values], object)


INPUTS = {
    "text": (["batch", 1], texts),
}
OUTPUTS = {
    "line": (["batch", 1], encoded),
}
LINES = json.loads(Path(__file__).with_name("lines.json").read_text("utf-8"))["model.py"]


class InvalidRequest(Exception):
    """A client's mistake, whose message is returned as the response."""


class InvalidResult(Exception):
    """The function returned something that the step does not declare."""


class Overdue(BaseException):
    """The time limit was exceeded; the function's own handlers do not catch this."""


class TritonPythonModel:
    def initialize(self, args):
        # Only the main thread can be interrupted.
        self.limit = TIME_LIMIT if threading.current_thread() is threading.main_thread() else 0
        if self.limit:
            signal.signal(signal.SIGALRM, overdue)

    def execute(self, requests):
        return [respond(request, self.limit) for request in requests]


def overdue(number, frame):
    raise Overdue


def respond(request, limit):
    """The response to one request. A failure only affects this request."""
    try:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            outputs = answer(request)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except InvalidRequest as error:
        return failure(error, pb_utils.TritonError.INVALID_ARG)
    except Overdue:
        text = "the request took longer than 10 s"
        return failure(text, pb_utils.TritonError.INTERNAL)
    except Exception as error:
        return failure(error, pb_utils.TritonError.INTERNAL)
    names = request.requested_output_names()
    return pb_utils.InferenceResponse([pb_utils.Tensor(name, outputs[name]) for name in names])


def answer(request):
    """The outputs of a request. The function is called once for all rows."""
    sizes = {}
    inputs = {}
    for name in INPUTS:
        given = read(request, name, sizes)
        inputs[name] = {"data": given[0], "shape": [float(size) for size in given[1]]}
    try:
        result = run(inputs)
    except Exception as error:
        raise InvalidResult(told(error)) from error
    declared("", result)
    return {name: write(name, result, sizes) for name in OUTPUTS}


def write(name, result, sizes):
    """An output, checked against its declaration."""
    dims, convert = OUTPUTS[name]
    what = f"output {name}"
    data, shape = unpack(what, result[name])
    hold(InvalidResult, what, shape, dims, sizes)
    return convert(what, data).reshape(shape)


def read(request, name, sizes):
    """An input's elements in row-major order, and its shape."""
    dims, values = INPUTS[name]
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    array = tensor.as_numpy()
    hold(InvalidRequest, f"input {name}", array.shape, dims, sizes)
    return values(name, array), array.shape


def hold(error, what, shape, dims, sizes):
    """Checks the dims. A named dim must have the same size throughout a request."""
    if len(shape) == len(dims):
        fits = True
        for dim, size in zip(dims, shape):
            if size != (sizes.setdefault(dim, size) if isinstance(dim, str) else dim):
                fits = False
        if fits:
            return
    wanted = [sizes.get(dim, dim) for dim in dims]
    shown = ["[" + ", ".join(map(str, each)) + "]" for each in (shape, wanted)]
    raise error(f"{what} has shape {shown[0]}, wanted {shown[1]}")


def declared(row, result):
    """Checks that the function returned exactly the outputs that the step declares."""
    for name in OUTPUTS:
        if result.get(name, undefined) is undefined:
            raise InvalidResult(f"{row}output {name} is missing")
    for name in sorted(result.keys() - OUTPUTS.keys()):
        if result[name] is not undefined:
            raise InvalidResult(f"{row}output {name} is not declared")
    return result


def demand(what, values, called, *types):
    if not set(map(type, values)) <= set(types):
        raise InvalidResult(f"{what} has a value that is not a {called}")


def unpack(what, value):
    """Elements and shape of a value that the function returned as {data, shape}."""
    data, shape = (value.get("data"), value.get("shape")) if isinstance(value, dict) else (None, None)
    if not isinstance(data, list) or not isinstance(shape, list):
        raise InvalidResult(f"{what} is not {{ data, shape }}")
    if not all(type(size) in (int, float) and size >= 0 and size % 1 == 0 for size in shape):
        raise InvalidResult(f"{what} has a shape that is not a list of sizes")
    shape = [int(size) for size in shape]
    if len(data) != np.prod(shape, dtype=np.int64):
        shown = "[" + ", ".join(map(str, shape)) + "]"
        raise InvalidResult(f"{what} has {len(data)} elements for shape {shown}")
    return data, shape


def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))


def told(error):
    """The message of an error in the function, with its position in the source. For Python's own errors, the whole traceback is logged."""
    text = f"{type(error).__name__}: {error}"
    own = type(error).__module__ == "builtins"
    if own and isinstance(error, (AttributeError, TypeError)) and ("Undefined" in text or "NoneType" in text):
        computes = "operand" in text or "supported between" in text
        text = "TypeError: undefined or null where a value is needed" + (f" ({error})" if computes else "")
    elif own and not isinstance(error, (MemoryError, RecursionError)):
        text = f"{text} (in the step's Python code: most likely a bug in tritype)"
    if own:
        traceback.print_exception(type(error), error, error.__traceback__)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [str(frame.lineno) for frame in reversed(frames) if frame.filename == __file__]
    return text + next((f" ({LINES[line]})" for line in lines if line in LINES), "")
