"""Step answer: a TypeScript function of one row, with JavaScript's semantics.

A string is a str of UTF-16 units, a number a float or an int, a bigint an int, null None.
"""

import json
import math
import re
import signal
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

STEP = "answer"  # name of this model, for messages
TIME_LIMIT = 0.5  # time limit in seconds for the rows of one request


# JavaScript's behaviour where Python's differs.


INF = math.inf
LONE_SURROGATE = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,9}")


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


def string(v):
    """String(v) of strings, numbers, booleans, null, undefined and arrays of these."""
    if isinstance(v, str):
        return v
    if isinstance(v, bool) or v is None or v is undefined:
        return {None: "null", True: "true", False: "false"}.get(v, "undefined")
    if isinstance(v, float):
        return number(v)
    return str(v) if isinstance(v, int) else ",".join("" if x is None or x is undefined else string(x) for x in v)


def number(v):
    """A number as a string: both languages use the shortest digits; JavaScript uses exponents from 1e21 on and below 1e-6."""
    text = repr(v)
    if text.endswith(".0"):
        return text[:-2] if v else "0"
    if "e" not in text and "n" not in text:
        return text
    if v != v or abs(v) == INF:
        return "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    sign = "-" if v < 0 else ""
    digits, exponent = text.lstrip("-").split("e")
    exponent = int(exponent)
    digits = digits.replace(".", "")
    if 0 <= exponent < 21:
        return sign + digits.ljust(exponent + 1, "0")
    if -7 < exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent:+d}"


def round_half_up(x):
    """Math.round: halves upwards, keeping NaN, infinities and -0."""
    if not abs(x) < 2**52 or not x:
        return x
    below = math.floor(x)
    return math.copysign(below + (x - below >= 0.5), x)


def keys(o):
    """Property order: array indices ascending, then the others in insertion order."""
    numeric = {k for k in o if ARRAY_INDEX.fullmatch(k) and int(k) < 4294967295}
    return sorted(numeric, key=int) + [k for k in o if k not in numeric] if numeric else list(o)


def quote(text):
    """A string in JSON: only quotes, backslashes, control characters and lone surrogates are escaped."""
    text = json.encoder.encode_basestring(text)
    return text if text.isascii() else LONE_SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def stringify(v, indent="", level="\n"):
    """JSON.stringify(v, null, indent)."""
    if isinstance(v, str):
        return quote(v)
    if v is undefined:
        return v
    if isinstance(v, float):
        return number(v) if abs(v) < INF else "null"
    if isinstance(v, (bool, int)) or v is None:
        return string(v)
    inner, outer = (level + indent, level) if indent else ("", "")
    if isinstance(v, dict):
        colon = ": " if indent else ":"
        items = [quote(k) + colon + stringify(v[k], indent, inner) for k in keys(v) if v[k] is not undefined]
        return "{" + inner + ("," + inner).join(items) + outer + "}" if items else "{}"
    items = ["null" if x is undefined else stringify(x, indent, inner) for x in v]
    return "[" + inner + ("," + inner).join(items) + outer + "]" if items else "[]"


def json_number(v):
    """A number in JSON: NaN and infinities are null. Anything that is not a number raises TypeError."""
    if type(v) is int:
        return repr(v)
    text = repr(v + 0)
    if text[-2:] == ".0":
        return text[:-2] if v else "0"
    if "e" in text or "n" in text:
        return number(v) if abs(v) < INF else "null"
    return text


VALUE_KEYS = ["label", "score"]


def value_json(v):
    try:
        if [*v] != VALUE_KEYS:
            return stringify(v)
        v1, v2 = v.values()
        return f'{{"label":{quote(v1)},"score":{json_number(v2)}}}'
    except TypeError:
        return stringify(v)


# The translated function.


# The names of the model's classes.
labels = {"LABEL_0": "negative", "LABEL_1": "neutral", "LABEL_2": "positive"}


# Two decimals.
def rounded(score):
    return round_half_up(score * 100) / 100


def run(row):
    label = row["label"]
    score = row["score"]
    return {"answer": {"label": labels.get(label, "unknown"), "score": rounded(score)}}


def run_json(row):
    made = run(row)
    return {
        **made,
        "answer": value_json(made["answer"]) if made.get(
            "answer",
            undefined,
        ) is not undefined else undefined,
    }


# Converts Triton's tensors to the function's values and back. lines.json maps lines of this file to TypeScript.


def as_is(name, array):
    return array.reshape(-1).tolist()


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
    "label": (["batch", 1], texts),
    "score": (["batch", 1], as_is),
}
OUTPUTS = {
    "answer": (["batch", 1], encoded),
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
        text = "the request took longer than 0.5 s"
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
            result = run_json(given)
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
    frames = traceback.extract_tb(error.__traceback__)
    lines = [str(frame.lineno) for frame in reversed(frames) if frame.filename == __file__]
    return text + next((f" ({LINES[line]})" for line in lines if line in LINES), "")
