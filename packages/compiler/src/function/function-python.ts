import { invariant } from "@tritype/core";
import { functionFiles, type FunctionTensor, type FunctionTwinOptions } from "@tritype/manifest";
import type { Translated } from "./translation.ts";

/** Names of the text around the function, which the user's own may not take. */
export const reservedNames: readonly string[] = `
json np pb_utils signal threading traceback Path
STEP TIME_LIMIT INPUTS OUTPUTS LINES TritonPythonModel InvalidRequest InvalidResult Overdue
overdue respond answer failure told read rows_of write hold unpack demand
texts as_is numbers encoded integers big exact`
  .trim()
  .split(/\s+/);

/** Support functions that the text around the function calls. */
export const neededSupport = ({ inputs, outputs }: FunctionTwinOptions): readonly string[] => [
  ...(hasOptional(inputs) ? ["undefined"] : []),
  ...(some(inputs, "BYTES") ? ["units"] : []),
  ...(some(outputs, "BYTES") ? ["utf8"] : []),
];

const hasOptional = (inputs: FunctionTwinOptions["inputs"]): boolean =>
  Object.values(inputs).some(({ optional }) => optional === true);

const some = (tensors: FunctionTwinOptions["inputs"], dtype: string): boolean =>
  Object.values(tensors).some((tensor) => tensor.dtype === dtype);

/** The `model.py` of a function step for Triton's python backend, and where in it the user's functions begin. */
export const functionPython = (
  options: FunctionTwinOptions,
  translated: Translated,
): { readonly text: string; readonly linesBefore: number } => {
  const modules = new Set(["json", "signal", "threading", "traceback", ...translated.imports]);
  const before = `\
"""${docstring(options)}"""

${[...modules]
  .toSorted()
  .map((name) => `import ${name}\n`)
  .join("")}\
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

STEP = ${JSON.stringify(options.step)}  # how messages name this model
TIME_LIMIT = ${seconds(options)}  # seconds for the rows of one request
${translated.support === "" ? "" : `\n\n# What JavaScript does and Python does not.\n\n\n${translated.support.trim()}\n`}

# The function.


`;
  const text = `${before}${translated.python.trimEnd()}\n${around(options, translated)}`;
  return { text, linesBefore: before.split("\n").length - 1 };
};

const docstring = ({ step, per }: FunctionTwinOptions): string => `\
Step ${step.replaceAll(/["\\]/g, "")}: a TypeScript function of ${per === "row" ? "one row" : "the rows of one request"}, with JavaScript's meaning.

A string is a str of UTF-16 units, a number a float or an int, a bigint an int, null None.
`;

const seconds = ({ timeLimit }: FunctionTwinOptions): string => String(timeLimit / 1e6);

/** From Triton's tensors to the function and back. */
const around = (options: FunctionTwinOptions, { entry, support, python }: Translated): string => {
  const throws = /\bThrown\b/.test(support + python);
  const { inputs, outputs, per } = options;
  return `

# From Triton's tensors to the function and back. lines.json says where lines of this file stand in TypeScript.


${Object.values(inputs)
  .map((type) => readerOf(type, per))
  .toSorted()
  .filter(isNew)
  .map(textOfReader)
  .join("")}\
${Object.values(outputs).map(writerOf).toSorted().filter(isNew).map(textOfWriter).join("")}\
INPUTS = {
${Object.entries(inputs)
  .map(([name, type]) => `    ${JSON.stringify(name)}: (${dimsOf(name, type)}, ${readerOf(type, per)}),\n`)
  .join("")}}
OUTPUTS = {
${Object.entries(outputs)
  .map(([name, type]) => `    ${JSON.stringify(name)}: (${dimsOf(name, type)}, ${writerCall(type)}),\n`)
  .join("")}}
LINES = json.loads(Path(__file__).with_name("${functionFiles.lines}").read_text("utf-8"))["model.py"]


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
        text = "the request took longer than ${seconds(options)} s"
        return failure(text, pb_utils.TritonError.INTERNAL)
    except Exception as error:
        return failure(error, pb_utils.TritonError.INTERNAL)
    names = request.requested_output_names()
    return pb_utils.InferenceResponse([pb_utils.Tensor(name, outputs[name]) for name in names])


${per === "row" ? answerRows(options, entry) : answerRequest(options, entry)}
def read(request, name, sizes):
    """An input's elements in row-major order, and its shape."""
    dims, values = INPUTS[name]
${
  hasOptional(inputs)
    ? `    tensor = pb_utils.get_input_tensor_by_name(request, name)
    if tensor is None:
        return None
    array = tensor.as_numpy()
`
    : `    array = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
`
}\
    hold(InvalidRequest, f"input {name}", array.shape, dims, sizes)
    return values(name, array), array.shape


def hold(error, what, shape, dims, sizes):
    """A name is one size throughout a request."""
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


def demand(what, values, called, *types):
    if not set(map(type, values)) <= set(types):
        raise InvalidResult(f"{what} holds what is no {called}")


${per === "request" || hasShapes(outputs) ? unpack : ""}def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))


def told(error):
    """What an error of the function says, and where it comes from."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, (AttributeError, TypeError)):
        text = "TypeError: undefined or null where a value is needed"
${
  throws
    ? `    if isinstance(error, Thrown):
        text = f"{error.name}: {error.message}" if error.message else error.name
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
`
    : ""
}\
    frames = traceback.extract_tb(error.__traceback__)
    lines = [str(frame.lineno) for frame in reversed(frames) if frame.filename == __file__]
    return text + next((f" ({LINES[line]})" for line in lines if line in LINES), "")
`;
};

const isNew = <T>(value: T, index: number, all: readonly T[]): boolean => all.indexOf(value) === index;

const answerRows = ({ inputs, outputs }: FunctionTwinOptions, entry: string): string => `\
def answer(request):
    """The outputs of a request: the function, row by row."""
    sizes = {}
${readAll(inputs)}\
    results = []
    for row in range(sizes.get("batch", 0)):
        given = {name: ${hasOptional(inputs) ? "undefined if rows is None else rows[row]" : "rows[row]"} for name, rows in inputs.items()}
        try:
            results.append(${entry}(given))
        except Exception as error:
            raise InvalidResult(f"row {row}: {told(error)}") from error
    return {name: write(name, results, sizes) for name in OUTPUTS}


${isPlain(inputs) ? "" : `${rowsOf(inputs)}\n\n`}\
${Object.values(outputs).every(({ dims }) => isScalar(dims)) ? writeScalars : writeRows(outputs)}`;

/** One element a row: what is read is what the rows take. */
const isPlain = (inputs: Tensors): boolean =>
  !hasOptional(inputs) && !hasArrays(inputs) && !hasShapes(inputs);

const readAll = (inputs: Tensors): string =>
  isPlain(inputs)
    ? "    inputs = {name: read(request, name, sizes)[0] for name in INPUTS}\n"
    : `\
    read_all = {name: read(request, name, sizes) for name in INPUTS}
    inputs = {name: ${hasOptional(inputs) ? "given and " : ""}rows_of(INPUTS[name][0], *given) for name, given in read_all.items()}
`;

const writeScalars = `\
def write(name, results, sizes):
    """An output of all rows, held against its declaration."""
    dims, convert = OUTPUTS[name]
    values = [result.get(name) for result in results]
    try:
        array = convert(name, values)
    except InvalidResult:
        for row, value in enumerate(values):
            convert(f"row {row}: output {name}", [value])
        raise
    return array.reshape([len(values), *dims[1:]])

`;

const writeRows = (outputs: Tensors): string => `\
def write(name, results, sizes):
    """An output of all rows, held against its declaration."""
    dims, convert = OUTPUTS[name]
    rows = []
    shape = [sizes.get(dim, 0) if isinstance(dim, str) else dim for dim in dims[1:]]
    for row, result in enumerate(results):
        value = result.get(name)
${writeRow(outputs)}\
        rows.append(value)
    try:
        array = convert(name, [element for row in rows for element in row])
    except InvalidResult:
        for row, values in enumerate(rows):
            convert(f"row {row}: output {name}", values)
        raise
    return array.reshape([len(rows), *shape])

`;

type Tensors = FunctionTwinOptions["inputs"];
const hasScalars = (tensors: Tensors): boolean => Object.values(tensors).some(({ dims }) => isScalar(dims));
const hasArrays = (tensors: Tensors): boolean =>
  Object.values(tensors).some(({ dims }) => dims.length === 2 && !isScalar(dims));
const hasShapes = (tensors: Tensors): boolean => Object.values(tensors).some(({ dims }) => dims.length > 2);
/** One element per row. */
const isScalar = ([, ...inner]: FunctionTensor["dims"]): boolean =>
  inner.length === 0 || (inner.length === 1 && inner[0] === 1);

const rowsOf = (inputs: Tensors): string => {
  const forms = [
    ...(hasScalars(inputs) ? ["the element itself"] : []),
    ...(hasArrays(inputs) ? ["a list of elements"] : []),
    ...(hasShapes(inputs) ? ["{data, shape}"] : []),
  ];
  const start = `\
def rows_of(dims, flat, shape):
    """One value per row: ${forms.join(", or ")}."""
`;
  const scalars = hasScalars(inputs) ? "    if dims[1:] in ([], [1]):\n        return flat\n" : "";
  if (!hasArrays(inputs) && !hasShapes(inputs)) return `${start}    return flat\n`;
  return `${start}${scalars}\
    size = len(flat) // (shape[0] or 1)
    rows = [flat[row * size : (row + 1) * size] for row in range(shape[0])]
${hasShapes(inputs) && hasArrays(inputs) ? "    if len(shape) == 2:\n        return rows\n" : ""}\
${hasShapes(inputs) ? '    return [{"data": row, "shape": [float(size) for size in shape[1:]]} for row in rows]\n' : "    return rows\n"}`;
};

const writeRow = (outputs: Tensors): string => {
  const scalar = "            value = [value]\n";
  const array = `\
            if not isinstance(value, list):
                raise InvalidResult(f"row {row}: output {name} is no array")
            shape = [len(value)]
            hold(InvalidResult, f"row {row}: output {name}", shape, dims[1:], sizes)
`;
  const shaped = `\
            value, shape = unpack(f"row {row}: output {name}", value)
            hold(InvalidResult, f"row {row}: output {name}", shape, dims[1:], sizes)
`;
  const branches = [
    ...(hasScalars(outputs) ? [["dims[1:] in ([], [1])", scalar]] : []),
    ...(hasArrays(outputs) ? [["len(dims) == 2", array]] : []),
    ...(hasShapes(outputs) ? [["", shaped]] : []),
  ];
  const [only] = branches;
  if (branches.length === 1) return (only?.[1] ?? "").replaceAll(/^ {4}/gm, "");
  return branches
    .map(([condition, text], index) => {
      const last = index === branches.length - 1;
      return `        ${index === 0 ? `if ${condition}` : last ? "else" : `elif ${condition}`}:\n${text}`;
    })
    .join("");
};

const unpack = `\
def unpack(what, value):
    """Elements and shape of what the function has as {data, shape}."""
    data, shape = (value.get("data"), value.get("shape")) if isinstance(value, dict) else (None, None)
    if not isinstance(data, list) or not isinstance(shape, list):
        raise InvalidResult(f"{what} is no {{ data, shape }}")
    if not all(type(size) in (int, float) and size >= 0 and size % 1 == 0 for size in shape):
        raise InvalidResult(f"{what} has a shape that is no list of sizes")
    shape = [int(size) for size in shape]
    if len(data) != np.prod(shape, dtype=np.int64):
        shown = "[" + ", ".join(map(str, shape)) + "]"
        raise InvalidResult(f"{what} has {len(data)} elements for shape {shown}")
    return data, shape


`;

const answerRequest = ({ inputs }: FunctionTwinOptions, entry: string): string => `\
def answer(request):
    """The outputs of a request: the function, once for all its rows."""
    sizes = {}
    inputs = {}
    for name in INPUTS:
        given = read(request, name, sizes)
${
  hasOptional(inputs)
    ? `        inputs[name] = undefined
        if given is not None:
            inputs[name] = {"data": given[0], "shape": [float(size) for size in given[1]]}
`
    : `        inputs[name] = {"data": given[0], "shape": [float(size) for size in given[1]]}
`
}\
    try:
        result = ${entry}(inputs)
    except Exception as error:
        raise InvalidResult(told(error)) from error
    return {name: write(name, result, sizes) for name in OUTPUTS}


def write(name, result, sizes):
    """An output, held against its declaration."""
    dims, convert = OUTPUTS[name]
    what = f"output {name}"
    data, shape = unpack(what, result.get(name))
    hold(InvalidResult, what, shape, dims, sizes)
    return convert(what, data).reshape(shape)

`;

/** A size that nobody knows has a name of its own: all rows have the same. */
const dimsOf = (name: string, { dims }: FunctionTensor): string =>
  `[${dims.map((dim, axis) => JSON.stringify(dim === -1 ? `${name}.${axis}` : dim)).join(", ")}]`;

/** A number that stands alone is a float; elements of arrays of integers are ints. */
const readerOf = ({ dtype, dims }: FunctionTensor, per: FunctionTwinOptions["per"]): Reader => {
  if (dtype === "BYTES") return "texts";
  return per === "row" && isScalar(dims) && /^U?INT(?:8|16|32)$/.test(dtype) ? "numbers" : "as_is";
};
type Reader = keyof typeof readers;
const textOfReader = (reader: Reader): string => readers[reader];
const readers = {
  as_is: `\
def as_is(name, array):
    return array.reshape(-1).tolist()


`,
  numbers: `\
def numbers(name, array):
    return array.reshape(-1).astype(np.float64).tolist()


`,
  texts: `\
def texts(name, array):
    found = []
    for index, value in enumerate(array.reshape(-1)):
        try:
            found.append(units(value.decode("utf-8")))
        except UnicodeDecodeError:
            row = index * len(array) // array.size
            raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
    return found


`,
} as const;

const writerOf = ({ dtype }: FunctionTensor): Writer => {
  if (dtype === "BYTES") return "encoded";
  if (dtype === "INT64" || dtype === "UINT64") return "big";
  return dtype.includes("INT") ? "integers" : "exact";
};
type Writer = keyof typeof writers;
const textOfWriter = (writer: Writer): string => writers[writer];
const writers = {
  big: `\
def big(low, high, dtype):
    def convert(what, values):
        demand(what, values, "bigint", int)
        if values and not low <= min(values) <= max(values) <= high:
            raise InvalidResult(f"{what} holds what is no bigint from {low} to {high}")
        return np.array(values, dtype)

    return convert


`,
  encoded: `\
def encoded(what, values):
    demand(what, values, "string", str)
    return np.array([utf8(value) for value in values], object)


`,
  exact: `\
def exact(called, dtype, *types):
    def convert(what, values):
        demand(what, values, called, *types)
        with np.errstate(over="ignore"):
            return np.array(values, dtype)

    return convert


`,
  integers: `\
def integers(low, high, dtype):
    def convert(what, values):
        demand(what, values, "number", int, float)
        array = np.array(values, np.float64)
        if not ((low <= array) & (array <= high) & (array == np.trunc(array))).all():
            raise InvalidResult(f"{what} holds what is no whole number from {low} to {high}")
        return array.astype(dtype)

    return convert


`,
} as const;

/** Expression of the function that makes an output's elements. */
const writerCall = (type: FunctionTensor): string => {
  const { dtype } = type;
  if (dtype === "BYTES") return "encoded";
  if (dtype === "BOOL") return 'exact("boolean", np.bool_, bool)';
  const numpy = numpyNames[dtype];
  invariant(numpy !== undefined, `no numpy dtype for ${dtype}`);
  if (!dtype.includes("INT")) return `exact("number", ${numpy}, int, float)`;
  const [low, high] = integerRange(dtype);
  return `${writerOf(type)}(${low}, ${high}, ${numpy})`;
};

const integerRange = (dtype: string): readonly [bigint, bigint] => {
  const bits = BigInt(/\d+$/.exec(dtype)?.[0] ?? 0);
  return dtype.startsWith("U") ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
};

const numpyNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [8, 16, 32, 64].flatMap((bits) => [
      [`INT${bits}`, `np.int${bits}`],
      [`UINT${bits}`, `np.uint${bits}`],
    ]),
  ),
  FP16: "np.float16",
  FP32: "np.float32",
  FP64: "np.float64",
};
