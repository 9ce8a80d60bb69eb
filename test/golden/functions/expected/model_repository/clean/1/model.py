"""Step clean: a TypeScript function of one row, with JavaScript's semantics.

A string is a str of UTF-16 units, a number a float or an int, a bigint an int, null None.
"""

import json
import signal
import threading
import time
import traceback
import unicodedata
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

STEP = "clean"  # name of this model, for messages
TIME_LIMIT = 10  # time limit in seconds for the rows of one request


# JavaScript's behaviour where Python's differs.


WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
NEWER_LOWER = {
    0x1c89: 0x1c8a,
    0x2c2f: 0x2c5f,
    0xa7c0: 0xa7c1,
    0xa7cb: 0x264,
    **{c: c + 1 for c in range(0xa7cc, 0xa7db, 2)},
    0xa7dc: 0x19b,
    **{c: c + 39 for c in range(0x10570, 0x1057b, 1)},
    **{c: c + 39 for c in range(0x1057c, 0x1058b, 1)},
    **{c: c + 39 for c in range(0x1058c, 0x10593, 1)},
    **{c: c + 39 for c in range(0x10594, 0x10596, 1)},
    **{c: c + 32 for c in range(0x10d50, 0x10d66, 1)},
    **{c: c + 27 for c in range(0x16ea0, 0x16eb9, 1)},
}


class Undefined:
    """JavaScript's undefined; None is its null."""

    __slots__ = ()

    def __bool__(self):
        return False

    def __repr__(self):
        return "undefined"


undefined = Undefined()


class NotPortable(Exception):
    """An operation whose result would differ from JavaScript's. The function's own catch does not catch this."""


class Thrown(Exception):
    """An error thrown by the function: name and message."""

    def __init__(self, message="", name="Error"):
        super().__init__(message)
        self.message, self.name = message, name


def units(text):
    """A Python string as UTF-16 units: a character beyond U+FFFF becomes two."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return text if len(raw) == 2 * len(text) else "".join(map(chr, memoryview(raw).cast("H")))


def chars(text):
    """UTF-16 units as a Python string: pairs are joined, lone surrogates are kept."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def utf8(text):
    """The bytes of a string for a BYTES tensor: a lone surrogate becomes U+FFFD."""
    return text.encode() if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def unknown_to_python(text, doing):
    """Raises for characters newer than this Python, which Node may know. Noncharacters are left unchanged."""
    for c in text:
        if unicodedata.category(c) == "Cn" and ord(c) & 0xFFFE != 0xFFFE and not "\ufdd0" <= c <= "\ufdef":
            raise NotPortable(f"{doing} U+{ord(c):04X}, which Python's Unicode {unicodedata.unidata_version} does not know")


def lower(text):
    """toLowerCase."""
    if text.isascii():
        return text.lower()
    text = chars(text)
    if "\u03a3" in text:
        unknown_to_python(text, "the small sigma next to")
    return units(text.translate(NEWER_LOWER).lower())


# The translated function.


def run(row):
    text = row["text"]
    short = text.strip(WHITESPACE).replace("\n", " ")
    # An empty text has no words.
    if short == "":
        raise Thrown("the text is empty", "RangeError")
    return {"text": lower(short), "words": len(short.split(" "))}


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


def big(low, high, dtype):
    def convert(what, values):
        demand(what, values, "bigint", int)
        if values and not low <= min(values) <= max(values) <= high:
            raise InvalidResult(f"{what} has a value that is not a bigint from {low} to {high}")
        return np.array(values, dtype)

    return convert


def encoded(what, values):
    demand(what, values, "string", str)
    return np.array([utf8(value) for value in values], object)


INPUTS = {
    "text": (["batch", 1], texts),
}
OUTPUTS = {
    "text": (["batch", 1], encoded),
    "words": (["batch", 1], big(-9223372036854775808, 9223372036854775807, np.int64)),
}
LINES = json.loads(Path(__file__).with_name("lines.json").read_text("utf-8"))["model.py"]


class InvalidRequest(Exception):
    """A client's mistake, whose message is returned as the response."""


class InvalidResult(Exception):
    """The function returned something that the step does not declare."""


class Overdue(BaseException):
    """The time limit was exceeded; the function's own handlers do not catch this."""


def hold_errors(execute):
    """Delays errors by 10 ms: Triton before 26.05 may hang or crash if a step fails before the parallel steps have started."""

    def held(self, requests):
        responses = execute(self, requests)
        if any(response.has_error() for response in responses):
            time.sleep(0.01)
        return responses

    return held


class TritonPythonModel:
    def initialize(self, args):
        # Only the main thread can be interrupted.
        self.limit = TIME_LIMIT if threading.current_thread() is threading.main_thread() else 0
        if self.limit:
            signal.signal(signal.SIGALRM, overdue)

    @hold_errors
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
    """The outputs of a request. The function is called for each row."""
    sizes = {}
    inputs = {name: read(request, name, sizes)[0] for name in INPUTS}
    results = []
    for row in range(sizes.get("batch", 0)):
        given = {name: rows[row] for name, rows in inputs.items()}
        try:
            result = run(given)
        except Exception as error:
            raise InvalidResult(f"row {row}: {told(error)}") from error
        results.append(declared(f"row {row}: ", result))
    return {name: write(name, results, sizes) for name in OUTPUTS}


def write(name, results, sizes):
    """An output of all rows, checked against its declaration."""
    dims, convert = OUTPUTS[name]
    values = [result[name] for result in results]
    try:
        array = convert(name, values)
    except InvalidResult:
        for row, value in enumerate(values):
            convert(f"row {row}: output {name}", [value])
        raise
    return array.reshape([len(values), *dims[1:]])


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
    if isinstance(error, Thrown):
        text = f"{error.name}: {error}" if str(error) else error.name
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [str(frame.lineno) for frame in reversed(frames) if frame.filename == __file__]
    return text + next((f" ({LINES[line]})" for line in lines if line in LINES), "")
