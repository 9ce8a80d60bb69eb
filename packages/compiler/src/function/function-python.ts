import { functionFiles, type FunctionTensor, type FunctionTwinOptions } from "@tritype/manifest";
import { declaredPython } from "./declared-python.ts";
import { isScalar, readerOf, textOfReader, textOfWriter, writerCall, writerOf } from "./tensor-converters.ts";
import type { Translated } from "./translation.ts";

/**
 * Names of the text around the function, which the user's own constants and functions may not take: those that it defines, and the
 * variables of the function that calls `run`.
 */
export const reservedNames = (options: FunctionTwinOptions): readonly string[] => {
  const { text } = functionPython(options, withoutCode, { timed: true });
  const defined = [
    ...text.matchAll(/^(?:def |class )([A-Za-z_]\w*)|^([A-Za-z_]\w*) =/gm),
    ...text.matchAll(/^(?:from \S+ )?import (?:\S+ as )?([A-Za-z_]\w*)$/gm),
  ].map(([, block, constant]) => block ?? constant ?? "");
  const start = text.indexOf("def answer(");
  const caller = text.slice(start, text.indexOf("\n\n\n", start));
  const code = caller.replaceAll(/"""[^]*?"""|"[^"]*"/g, "");
  return [...new Set([...defined, ...(code.match(/[A-Za-z_]\w*/g) ?? [])])];
};

const withoutCode: Translated = {
  imports: [],
  support: "",
  python: "",
  entry: "",
  lines: [],
  javascript: "",
  javascriptLines: [],
  files: [],
};

/** Support functions that the text around the function calls. */
export const neededSupport = ({ inputs, outputs }: FunctionTwinOptions): readonly string[] => [
  "undefined",
  ...(some(inputs, "BYTES") ? ["units"] : []),
  ...(some(outputs, "BYTES") ? ["utf8"] : []),
];

const hasOptional = (inputs: FunctionTwinOptions["inputs"]): boolean =>
  Object.values(inputs).some(({ optional }) => optional === true);

const some = (tensors: FunctionTwinOptions["inputs"], dtype: string): boolean =>
  Object.values(tensors).some((tensor) => tensor.dtype === dtype);

/**
 * The `model.py` of a function step for Triton's python backend, and where in it the user's functions begin.
 * @param around `timed`: it also imports `time`.
 */
export const functionPython = (
  options: FunctionTwinOptions,
  translated: Translated,
  { timed }: { readonly timed: boolean },
): { readonly text: string; readonly linesBefore: number } => {
  const modules = new Set([
    "json",
    "signal",
    "threading",
    "traceback",
    ...(timed ? ["time"] : []),
    ...translated.imports,
  ]);
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


${declaredPython}def demand(what, values, called, *types):
    if not set(map(type, values)) <= set(types):
        raise InvalidResult(f"{what} holds what is no {called}")


${per === "request" || hasShapes(outputs) ? unpack : ""}def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))


def told(error):
    """What an error of the function says, and where it comes from. The log has all of an error of Python's own."""
    text = f"{type(error).__name__}: {error}"
    own = type(error).__module__ == "builtins"
    if own and isinstance(error, (AttributeError, TypeError)) and ("Undefined" in text or "NoneType" in text):
        computes = "operand" in text or "supported between" in text
        text = "TypeError: undefined or null where a value is needed" + (f" ({error})" if computes else "")
    elif own and not isinstance(error, (MemoryError, RecursionError)):
        text = f"{text} (in the Python of the step: most likely a bug in tritype)"
    if own:
        traceback.print_exception(type(error), error, error.__traceback__)
${
  throws
    ? `    if isinstance(error, Thrown):
        text = f"{error.name}: {error}" if str(error) else error.name
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
            result = ${entry}(given)
        except Exception as error:
            raise InvalidResult(f"row {row}: {told(error)}") from error
        results.append(declared(f"row {row}: ", result))
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
    values = [result[name] for result in results]
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
        value = result[name]
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
    declared("", result)
    return {name: write(name, result, sizes) for name in OUTPUTS}


def write(name, result, sizes):
    """An output, held against its declaration."""
    dims, convert = OUTPUTS[name]
    what = f"output {name}"
    data, shape = unpack(what, result[name])
    hold(InvalidResult, what, shape, dims, sizes)
    return convert(what, data).reshape(shape)

`;

/** An unknown size has its own name: it is the same in all rows. */
const dimsOf = (name: string, { dims }: FunctionTensor): string =>
  `[${dims.map((dim, axis) => JSON.stringify(dim === -1 ? `${name}.${axis}` : dim)).join(", ")}]`;
