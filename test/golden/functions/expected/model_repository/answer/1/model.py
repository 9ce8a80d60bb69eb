"""Step answer: a TypeScript function of one row, with JavaScript's meaning.

A string is a str of UTF-16 units, a number a float or an int, a bigint an int, null None.
"""

import json
import math
import signal
import threading
import traceback
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

STEP = "answer"  # how messages name this model
TIME_LIMIT = 0.5  # seconds for the rows of one request


# What JavaScript does and Python does not.


def units(text):
    """A Python string as UTF-16 units: a character beyond U+FFFF becomes two."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return text if len(raw) == 2 * len(text) else "".join(map(chr, memoryview(raw).cast("H")))


def utf8(text):
    """The bytes of a string for a BYTES tensor: a lone surrogate becomes U+FFFD."""
    return text.encode() if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def round_half_up(x):
    """Math.round: halves upwards, keeping NaN, infinities and -0."""
    if not abs(x) < 2**52 or not x:
        return x
    below = math.floor(x)
    return math.copysign(below + (x - below >= 0.5), x)


# The function.


# What the classes of the model are called.
labels = {"LABEL_0": "negative", "LABEL_1": "neutral", "LABEL_2": "positive"}


# Two digits after the point.
def rounded(score):
    return round_half_up(score * 100) / 100


def run(row):
    label = row["label"]
    score = row["score"]
    return {"answer": {"label": labels.get(label, "unknown"), "score": rounded(score)}}


# From Triton's tensors to the function and back. lines.json says where lines of this file stand in TypeScript.


def numbers(name, array):
    return array.reshape(-1).astype(np.float64).tolist()


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
    array = np.empty(len(values), object)
    array[:] = [utf8(value) for value in values]
    return array


INPUTS = {
    "label": (["batch", 1], texts),
    "score": (["batch", 1], numbers),
}
OUTPUTS = {
    "answer": (["batch", 1], encoded),
}
LINES = json.loads(Path(__file__).with_name("lines.json").read_text("utf-8"))["model.py"]


class InvalidRequest(Exception):
    """The client's mistake; its text is the answer."""


class InvalidResult(Exception):
    """The function returned what the step does not declare."""


class Overdue(BaseException):
    """The time limit is over; no handler of the function's own sees it."""


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
    """The answer to a request; its failure is not its neighbour's."""
    try:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            outputs = answer(request)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except InvalidRequest as error:
        return failure(error, pb_utils.TritonError.INVALID_ARG)
    except Overdue:
        text = "the request took longer than 0.5 s"
        return failure(text, pb_utils.TritonError.INTERNAL)
    except Exception as error:
        return failure(error, pb_utils.TritonError.INTERNAL)
    names = request.requested_output_names()
    return pb_utils.InferenceResponse([pb_utils.Tensor(name, outputs[name]) for name in names])


def answer(request):
    """The outputs of a request: the function, row by row."""
    sizes = {}
    read_all = {name: read(request, name, sizes) for name in INPUTS}
    inputs = {name: rows_of(INPUTS[name][0], *given) for name, given in read_all.items()}
    results = []
    for row in range(sizes.get("batch", 0)):
        given = {name: rows[row] for name, rows in inputs.items()}
        try:
            results.append(run(given))
        except Exception as error:
            raise InvalidResult(f"row {row}: {told(error)}") from error
    return {name: write(name, results, sizes) for name in OUTPUTS}


def rows_of(dims, flat, shape):
    """One value per row: the element itself."""
    return flat


def write(name, results, sizes):
    """An output of all rows, held against its declaration."""
    dims, convert = OUTPUTS[name]
    rows = []
    shape = [sizes.get(dim, 0) if isinstance(dim, str) else dim for dim in dims[1:]]
    for row, result in enumerate(results):
        value = result.get(name)
        value = [value]
        rows.append(value)
    try:
        array = convert(name, [element for row in rows for element in row])
    except InvalidResult:
        for row, values in enumerate(rows):
            convert(f"row {row}: output {name}", values)
        raise
    return array.reshape([len(rows), *shape])



def read(request, name, sizes):
    """An input's elements in row-major order, and its shape."""
    dims, values = INPUTS[name]
    array = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
    hold(InvalidRequest, f"input {name}", array.shape, dims, sizes)
    return values(name, array), array.shape


def hold(error, what, shape, dims, sizes):
    """A name is one size throughout a request."""
    if len(shape) == len(dims):
        for dim, size in zip(dims, shape):
            if isinstance(dim, str):
                sizes.setdefault(dim, size)
    wanted = [sizes.get(dim, dim) for dim in dims]
    if list(shape) != wanted:
        shown = ["[" + ", ".join(map(str, each)) + "]" for each in (shape, wanted)]
        raise error(f"{what} has shape {shown[0]}, wanted {shown[1]}")


def demand(what, values, called, *types):
    if not set(map(type, values)) <= set(types):
        raise InvalidResult(f"{what} holds what is no {called}")


def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))


def told(error):
    """What an error of the function says, and where it comes from."""
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [str(frame.lineno) for frame in reversed(frames) if frame.filename == __file__]
    return text + next((f" ({LINES[line]})" for line in lines if line in LINES), "")
