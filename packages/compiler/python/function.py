import template

template.docstring

with template.imports:
    import json
    import signal
    import threading
    import time
    import traceback
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

STEP = template.step  # name of this model, for messages
TIME_LIMIT = template.time_limit  # time limit in seconds for the rows of one request


if template.support:
    # JavaScript's behaviour where Python's differs.


    with template.support:
        from support import Thrown, undefined, units, utf8


# The translated function.


with template.python:

    def entry(given):
        return given


# Converts Triton's tensors to the function's values and back. lines.json maps lines of this file to TypeScript.


if template.reads_as_is:
    def as_is(name, array):
        return array.reshape(-1).tolist()


if template.reads_numbers:
    def numbers(name, array):
        return array.reshape(-1).astype(np.float64).tolist()


if template.reads_texts:
    def texts(name, array):
        found = []
        for index, value in enumerate(array.reshape(-1)):
            try:
                found.append(units(value.decode("utf-8")))
            except UnicodeDecodeError:
                row = index * len(array) // array.size
                raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
        return found


if template.writes_big:
    def big(low, high, dtype):
        def convert(what, values):
            demand(what, values, "bigint", int)
            if values and not low <= min(values) <= max(values) <= high:
                raise InvalidResult(f"{what} has a value that is not a bigint from {low} to {high}")
            return np.array(values, dtype)

        return convert


if template.writes_encoded:
    def encoded(what, values):
        demand(what, values, "string", str)
        return np.array([utf8(value) for value in values], object)


if template.writes_exact:
    def exact(called, dtype, *types):
        def convert(what, values):
            demand(what, values, called, *types)
            with np.errstate(over="ignore"):
                return np.array(values, dtype)

        return convert


if template.writes_integers:
    def integers(low, high, dtype):
        def convert(what, values):
            demand(what, values, "number", int, float)
            array = np.array(values, np.float64)
            if not ((low <= array) & (array <= high) & (array == np.trunc(array))).all():
                raise InvalidResult(f"{what} has a value that is not a whole number from {low} to {high}")
            return array.astype(dtype)

        return convert


INPUTS = template.inputs
OUTPUTS = template.outputs
LINES = json.loads(Path(__file__).with_name("lines.json").read_text("utf-8"))["model.py"]


from shared import InvalidRequest


class InvalidResult(Exception):
    """The function returned something that the step does not declare."""


class Overdue(BaseException):
    """The time limit was exceeded; the function's own handlers do not catch this."""


if template.hold_errors:
    from shared import hold_errors


class TritonPythonModel:
    def initialize(self, args):
        # Only the main thread can be interrupted.
        self.limit = TIME_LIMIT if threading.current_thread() is threading.main_thread() else 0
        if self.limit:
            signal.signal(signal.SIGALRM, overdue)

    @template.hold_errors(hold_errors)
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
        text = template.overdue_text
        return failure(text, pb_utils.TritonError.INTERNAL)
    except Exception as error:
        return failure(error, pb_utils.TritonError.INTERNAL)
    names = request.requested_output_names()
    return pb_utils.InferenceResponse([pb_utils.Tensor(name, outputs[name]) for name in names])


if template.per_row:
    def answer(request):
        """The outputs of a request. The function is called for each row."""
        sizes = {}
        if template.takes_elements:
            inputs = {name: read(request, name, sizes)[0] for name in INPUTS}
        else:
            read_all = {name: read(request, name, sizes) for name in INPUTS}
            if template.has_optional:
                inputs = {name: given and rows_of(INPUTS[name][0], *given) for name, given in read_all.items()}
            else:
                inputs = {name: rows_of(INPUTS[name][0], *given) for name, given in read_all.items()}
        results = []
        for row in range(sizes.get("batch", 0)):
            if template.has_optional:
                given = {name: undefined if rows is None else rows[row] for name, rows in inputs.items()}
            else:
                given = {name: rows[row] for name, rows in inputs.items()}
            try:
                result = template.entry(given)
            except Exception as error:
                raise InvalidResult(f"row {row}: {told(error)}") from error
            results.append(declared(f"row {row}: ", result))
        return {name: write(name, results, sizes) for name in OUTPUTS}


    if not template.takes_elements:
        def rows_of(dims, flat, shape):
            template.rows_docstring
            if template.takes_only_scalars:
                return flat
            else:
                if template.takes_scalars:
                    if dims[1:] in ([], [1]):
                        return flat
                size = len(flat) // (shape[0] or 1)
                rows = [flat[row * size : (row + 1) * size] for row in range(shape[0])]
                if template.takes_arrays_and_shapes:
                    if len(shape) == 2:
                        return rows
                if template.takes_shapes:
                    return [{"data": row, "shape": [float(size) for size in shape[1:]]} for row in rows]
                else:
                    return rows


    if template.gives_only_scalars:
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
    else:
        def write(name, results, sizes):
            """An output of all rows, checked against its declaration."""
            dims, convert = OUTPUTS[name]
            rows = []
            shape = [sizes.get(dim, 0) if isinstance(dim, str) else dim for dim in dims[1:]]
            for row, result in enumerate(results):
                value = result[name]
                if template.gives_scalars:
                    if dims[1:] in ([], [1]):
                        rows.append([value])
                        continue
                what = f"row {row}: output {name}"
                if template.gives_arrays_and_shapes:
                    value, shape = listed(what, value) if len(dims) == 2 else unpack(what, value)
                elif template.gives_shapes:
                    value, shape = unpack(what, value)
                else:
                    value, shape = listed(what, value)
                hold(InvalidResult, what, shape, dims[1:], sizes)
                rows.append(value)
            try:
                array = convert(name, [element for row in rows for element in row])
            except InvalidResult:
                for row, values in enumerate(rows):
                    convert(f"row {row}: output {name}", values)
                raise
            return array.reshape([len(rows), *shape])
else:
    def answer(request):
        """The outputs of a request. The function is called once for all rows."""
        sizes = {}
        inputs = {}
        for name in INPUTS:
            given = read(request, name, sizes)
            if template.has_optional:
                inputs[name] = undefined if given is None else {"data": given[0], "shape": [float(size) for size in given[1]]}
            else:
                inputs[name] = {"data": given[0], "shape": [float(size) for size in given[1]]}
        try:
            result = template.entry(inputs)
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
    if template.has_optional:
        if tensor is None and name in template.optional:
            return None
        if tensor is None:  # Triton only counts the inputs.
            raise InvalidRequest(f"input {name} is missing")
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


if template.lists:
    def listed(what, value):
        """Elements and shape of a value that the function returned as an array."""
        if not isinstance(value, list):
            raise InvalidResult(f"{what} is not an array")
        return value, [len(value)]


if template.unpacks:
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
    if template.throws:
        if isinstance(error, Thrown):
            text = f"{error.name}: {error}" if str(error) else error.name
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [str(frame.lineno) for frame in reversed(frames) if frame.filename == __file__]
    return text + next((f" ({LINES[line]})" for line in lines if line in LINES), "")
