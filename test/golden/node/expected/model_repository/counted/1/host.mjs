// Tritype's host of a function on Node: answers the requests of model.py beside it. Do not edit.
// SPDX-License-Identifier: Apache-2.0

import { readFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { inspect } from "node:util";

var int = (bits, signed, onnxType) => {
  const name = `${signed ? "INT" : "UINT"}${bits}`;
  const span = 1n << BigInt(signed ? bits - 1 : bits);
  return {
    byteSize: bits / 8,
    configName: `TYPE_${name}`,
    onnxType,
    range: signed ? [-span, span - 1n] : [0n, span - 1n],
    family: "int",
  };
};
var float = (name, byteSize, onnxType) => ({
  byteSize,
  configName: `TYPE_${name}`,
  onnxType,
  range: void 0,
  family: "float",
});
var dtypes = {
  BOOL: { byteSize: 1, configName: "TYPE_BOOL", onnxType: 9, range: void 0, family: "bool" },
  UINT8: int(8, false, 2),
  UINT16: int(16, false, 4),
  UINT32: int(32, false, 12),
  UINT64: int(64, false, 13),
  INT8: int(8, true, 3),
  INT16: int(16, true, 5),
  INT32: int(32, true, 6),
  INT64: int(64, true, 7),
  FP16: float("FP16", 2, 10),
  FP32: float("FP32", 4, 1),
  FP64: float("FP64", 8, 11),
  BF16: float("BF16", 2, 16),
  BYTES: { byteSize: void 0, configName: "TYPE_STRING", onnxType: 8, range: void 0, family: "bytes" },
};
var invert = (key) => new Map(Object.entries(dtypes).map(([dtype, facts]) => [facts[key], dtype]));
var byConfigName = invert("configName");
var byOnnxType = invert("onnxType");

var fillTemplate = (text, parameters) =>
  text.replaceAll(/\{(\w+)(?::\w+)?\}/g, (_, name) => String(parameters[name]));

var brand = /* @__PURE__ */ Symbol.for("tritype.PipelineError");
var PipelineError = class extends Error {
  code;
  /** The entry of the catalog, such as `dataset/not-utf8`: what the terminal prints and `pipeline explain` knows. */
  reason;
  /** What to do, an imperative sentence. */
  help;
  constructor(code, message, options2 = {}) {
    super(message, options2.cause === void 0 ? void 0 : { cause: options2.cause });
    this.name = "PipelineError";
    this.code = code;
    this.reason = options2.reason ?? code;
    this.help = options2.help;
    Object.defineProperty(this, brand, { value: true });
  }
  /** Works for errors from every copy of this package. */
  static is(value) {
    return typeof value === "object" && value !== null && brand in value;
  }
};
var defineErrors =
  (catalog) =>
  (reason, parameters, { cause, help } = {}) => {
    const entry = catalog[reason];
    const advice = help ?? (entry.help === void 0 ? void 0 : fillTemplate(entry.help, parameters));
    return new PipelineError(entry.code, fillTemplate(entry.message, parameters), {
      reason,
      cause,
      help: advice,
    });
  };
var InternalError = class extends Error {
  constructor(message) {
    super(`${message} (this is a bug in tritype)`);
    this.name = "InternalError";
  }
};
function invariant(condition, message) {
  if (!condition) throw new InternalError(message);
}

var generalErrors = {
  "file/not-found": {
    code: "file/not-found",
    message: "{path} does not exist",
    help: "check the path",
  },
  "file/not-readable": {
    code: "file/not-readable",
    message: "{path} cannot be read: {why}",
    help: "check its permissions, and that it is complete",
  },
  "file/not-writable": {
    code: "file/not-writable",
    message: "cannot write to {path}: {why}",
  },
  "request/text-too-long": {
    code: "request/too-large",
    message: "a text of {size} bytes is too long: JavaScript strings hold at most {limit}",
    help: "send it in parts, or as UINT8",
  },
  "server/unreadable-answer": {
    code: "request/malformed",
    message: "the server's answer cannot be read: {why}",
    help: "check that the address is Triton's, and not that of a proxy or of another program",
  },
  "tensor/wrong-size": {
    code: "tensor/wrong-size",
    message: "shape [{shape}] holds {expected} elements, got {got}",
    help: "make the values match the shape",
  },
};
var generalError = defineErrors(generalErrors);

var scratch = new DataView(new ArrayBuffer(4));
var halfToNumber = (bits) => {
  const sign = bits & 32768 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};
var numberToHalf = (value) => {
  if (Number.isNaN(value)) return 32256;
  const sign = value < 0 || Object.is(value, -0) ? 32768 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 31744;
  if (magnitude < 2 ** -14) return sign | roundHalfEven(magnitude * 2 ** 24);
  const exponent = Math.floor(Math.log2(magnitude));
  const exact = magnitude < 2 ** exponent ? exponent - 1 : exponent;
  return sign | (((exact + 15) << 10) + roundHalfEven((magnitude / 2 ** exact - 1) * 1024));
};
var roundHalfEven = (x) => {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
};
var numberToBfloat16 = (value) => {
  if (Number.isNaN(value)) return 32704;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 32767 + ((bits >>> 16) & 1)) >>> 16) & 65535;
};

var encoder = new TextEncoder();
var lossy = new TextDecoder("utf-8", { ignoreBOM: true });
var strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
var encodeUtf8 = (text) => encoder.encode(text);
var tryDecodeUtf8 = (bytes) => {
  requireHoldable(bytes);
  try {
    return strict.decode(bytes);
  } catch {
    return void 0;
  }
};
var longestText = 2 ** 29 - 24;
var requireHoldable = ({ byteLength: byteLength2 }) => {
  if (byteLength2 > longestText)
    throw generalError("request/text-too-long", { size: byteLength2, limit: longestText });
};

var elementCount = (shape) => shape.reduce((n, dim) => n * dim, 1);
var byteLength = (dtype, shape) => elementCount(shape) * elementSize(dtype);
var elementSize = (dtype) => {
  const size = dtypes[dtype].byteSize;
  invariant(size !== void 0, `${dtype} has no element size`);
  return size;
};
var views = {
  BOOL: Uint8Array,
  UINT8: Uint8Array,
  UINT16: Uint16Array,
  UINT32: Uint32Array,
  UINT64: BigUint64Array,
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  INT64: BigInt64Array,
  FP16: Uint16Array,
  FP32: Float32Array,
  FP64: Float64Array,
  BF16: Uint16Array,
};
var typedArrayOf = (tensor) => {
  const size = elementSize(tensor.dtype);
  const aligned = tensor.data.byteOffset % size === 0 ? tensor.data : new Uint8Array(tensor.data);
  return new views[tensor.dtype](aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
};
var tensorOf = (dtype, shape, values) => {
  if (values.length !== elementCount(shape))
    throw generalError("tensor/wrong-size", {
      shape: shape.join(", "),
      expected: elementCount(shape),
      got: values.length,
    });
  if (dtype === "BYTES")
    return { dtype, shape, data: values.map((x) => (x instanceof Uint8Array ? x : encodeUtf8(String(x)))) };
  const data = new Uint8Array(byteLength(dtype, shape));
  const view = typedArrayOf({ dtype, shape, data });
  values.forEach((value, index) => {
    view[index] = toElement(dtype, value);
  });
  return { dtype, shape, data };
};
var toElement = (dtype, value) => {
  if (dtype === "INT64" || dtype === "UINT64") return BigInt(value);
  if (dtype === "FP16") return numberToHalf(Number(value));
  if (dtype === "BF16") return numberToBfloat16(Number(value));
  return Number(value);
};

var frameKinds = {
  /** id: the execution; index: its number of requests. Each: u32 length, u32 microseconds left (0: no limit), tensors. */
  execute: 1,
  /** id: the execution; index: the request. All outputs. */
  answer: 2,
  /** u32 code (0: the client's mistake, 1: the model failed), u32 0, string. */
  failure: 3,
  /** A request starts before an earlier one of its execution is answered. */
  begun: 4,
  /** The function is loaded. */
  ready: 5,
  /** The function cannot be loaded: a string. */
  refused: 6,
  /** No client waits for this request any more. */
  cancel: 7,
  /** The function calls another model. id: the call; index: which one. u32 microseconds left (0: no limit), u32 request, tensors. */
  call: 8,
  /** id: the call. All outputs. */
  result: 9,
  /** id: the call; index: one of `callFailures`. A string. */
  callFailed: 10,
};
var callFailures = { failed: 0, answer: 1 };
var headerSize = 16;
var largestBody = 2 ** 32 - 8;
var padded = (size) => Math.ceil(size / 8) * 8;
var sizeOf = (parts) =>
  parts.reduce(
    (sum, part) => sum + (part instanceof Uint8Array ? part.byteLength : padded(part.length * 4)),
    0,
  );
var printFrame = (kind, id, index, body = [], spare2 = new Uint32Array(0)) => {
  const size = sizeOf(body);
  if (size > largestBody) throw new RangeError(`a frame holds up to 4 GiB, but this one has ${size} bytes`);
  const end2 = headerSize + size;
  const words = end2 <= spare2.byteLength ? spare2 : new Uint32Array(padded(end2) / 4);
  const bytes = new Uint8Array(words.buffer);
  words.set([size, kind, id, index]);
  let at = headerSize;
  for (const part of body) {
    if (part instanceof Uint8Array) bytes.set(part, at);
    else words.set(part.length % 2 === 0 ? part : [...part, 0], at / 4);
    at += sizeOf([part]);
  }
  return bytes.subarray(0, end2);
};
var zeros = new Uint8Array(8);
var printTensors = (tensors, names) => {
  const parts = [[tensors.size, 0]];
  for (const [name, tensor] of tensors) {
    const data = tensor.dtype === "BYTES" ? packStrings(tensor.data) : tensor.data;
    const which = names.indexOf(name);
    invariant(which >= 0, `${name} is not declared`);
    parts.push([which, tensor.shape.length, data.byteLength, 0, ...tensor.shape], data);
    const rest = padded(data.byteLength) - data.byteLength;
    if (rest > 0) parts.push(zeros.subarray(0, rest));
  }
  return parts;
};
var packStrings = (values) => {
  const packed = Buffer.allocUnsafe(
    values.reduce((sum, { byteLength: byteLength2 }) => sum + 4 + byteLength2, 0),
  );
  let at = 0;
  for (const bytes of values) {
    packed.writeUInt32LE(bytes.byteLength, at);
    packed.set(bytes, at + 4);
    at += 4 + bytes.byteLength;
  }
  return packed;
};
var printFailure = (code, text) => [[code, 0], new TextEncoder().encode(text)];
var viewOf = ({ buffer, byteOffset, byteLength: byteLength2 }) =>
  new DataView(buffer, byteOffset, byteLength2);
var wordsOf = ({ buffer, byteOffset, byteLength: byteLength2 }) =>
  new Uint32Array(buffer, byteOffset, byteLength2 >>> 2);
var readTensors = (body, declared2) => {
  const words = wordsOf(body);
  const tensors = /* @__PURE__ */ new Map();
  let at = 8;
  for (let count = words[0] ?? 0; count > 0; count--) {
    const first = at / 4;
    const [which = 0, rank = 0, length = 0] = [words[first], words[first + 1], words[first + 2]];
    const shape = [];
    for (let axis = 0; axis < rank; axis++) shape.push(words[first + 4 + axis] ?? 0);
    const start = at + padded(16 + 4 * rank);
    const data = body.subarray(start, start + length);
    const tensor = declared2[which];
    invariant(tensor !== void 0 && data.byteLength === length, "a frame is damaged");
    const { name, dtype } = tensor;
    tensors.set(
      name,
      dtype === "BYTES"
        ? { dtype, shape, data: readStrings(data, elementCount(shape)) }
        : { dtype, shape, data },
    );
    at = start + padded(length);
  }
  return tensors;
};
var readStrings = (packed, count) => {
  const view = viewOf(packed);
  let at = 0;
  return Array.from({ length: count }, () => {
    const length = view.getUint32(at, true);
    at += 4 + length;
    return packed.subarray(at - length, at);
  });
};
var readRequests = ({ body, index: count }, declared2) => {
  const view = viewOf(body);
  let at = 0;
  return Array.from({ length: count }, () => {
    const [length, left] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const inputs = readTensors(body.subarray(at + 8, at + 8 + length), declared2);
    at += 8 + length;
    return { inputs, left };
  });
};
var printCall = ({ inputs, left, request }, names) => [[left, request], ...printTensors(inputs, names)];
var readText = (body) => new TextDecoder().decode(body);
var frameReader = (onFrame) => {
  const header = new Uint8Array(headerSize);
  const view = viewOf(header);
  let body;
  let filled = 0;
  return (chunk) => {
    let at = 0;
    const take = (target) => {
      const piece = chunk.subarray(at, at + target.byteLength - filled);
      target.set(piece, filled);
      at += piece.byteLength;
      filled += piece.byteLength;
      return filled === target.byteLength;
    };
    for (;;) {
      if (body === void 0) {
        if (!take(header)) return;
        body = new Uint8Array(view.getUint32(0, true));
        filled = 0;
      }
      if (!take(body)) return;
      const frame2 = {
        kind: view.getUint32(4, true),
        id: view.getUint32(8, true),
        index: view.getUint32(12, true),
        body,
      };
      body = void 0;
      filled = 0;
      onFrame(frame2);
    }
  };
};

import { sep } from "node:path";
import { fileURLToPath } from "node:url";
var tellError = (error, folder2) => {
  if (!(error instanceof Error)) return `${describe(error)} was thrown`;
  const { name, message, stack } = error;
  const text = String(message) === "" ? String(name) : `${String(name)}: ${String(message)}`;
  return text + placeOf(typeof stack === "string" ? stack : "", folder2);
};
var describe = (value) => {
  if (typeof value === "string") return JSON.stringify(value);
  try {
    return String(value);
  } catch {
    return typeof value;
  }
};
var placeOf = (stack, folder2) => {
  const frames = stack.slice(Math.max(0, stack.search(/\n {4}at /)));
  for (const [, url = "", line = "", column = ""] of frames.matchAll(frame)) {
    if (url.endsWith(generated)) continue;
    const path = pathOf(url);
    if (!path.startsWith(folder2 + sep)) continue;
    const file = path.slice(folder2.length + 1);
    if (file !== "host.mjs" && !file.includes("node_modules/")) return ` (${file}:${line}:${column})`;
  }
  return "";
};
var frame = /^ {4}at (?:.*\()?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/gm;
var generated = "), <anonymous>";
var pathOf = (url) => {
  try {
    return url.startsWith("file:") ? fileURLToPath(url) : url;
  } catch {
    return url;
  }
};

var InvalidRequest = class extends Error {};
var InvalidResult = class extends Error {};
var overdueText = ({ timeLimit }) => `the request took longer than ${timeLimit / 1e6} s`;
var placeText = ({ writtenAt }) => (writtenAt === void 0 ? "" : ` (${writtenAt})`);

var readElements = (name, tensor) => {
  if (tensor.dtype === "BYTES")
    return tensor.data.map((bytes, index) => {
      const text = tryDecodeUtf8(bytes);
      if (text !== void 0) return text;
      const row = Math.floor((index * (tensor.shape[0] ?? 1)) / tensor.data.length);
      throw new InvalidRequest(`row ${row} of ${name} is not valid UTF-8`);
    });
  const view = typedArrayOf(tensor);
  if (tensor.dtype === "BOOL") return Array.from(view, (byte) => byte !== 0);
  if (tensor.dtype === "FP16") return Float32Array.from(view, halfToNumber);
  return view;
};
var writeElements = (what, dtype, shape, parts) => {
  const written = dtype === "BYTES" ? writeStrings(shape, parts) : writeFixed(dtype, shape, parts);
  if (written !== void 0) return written;
  const values = parts.flatMap((part) => [...part]);
  requireElements(what, dtype, values);
  return tensorOf(dtype, shape, values);
};
var writeStrings = (shape, parts) => {
  const data = [];
  for (const part of parts)
    for (const value of part) {
      if (typeof value !== "string") return void 0;
      data.push(Buffer.from(value));
    }
  return { dtype: "BYTES", shape, data };
};
var writeFixed = (dtype, shape, parts) => {
  if (dtype === "BOOL" || dtype === "FP16" || dtype === "BF16") return void 0;
  const data = new Uint8Array(byteLength(dtype, shape));
  const view = typedArrayOf({ dtype, shape, data });
  const isFloat = dtype === "FP32" || dtype === "FP64";
  let at = 0;
  for (const part of parts) {
    if (part instanceof view.constructor) view.set(part, at);
    else if (!isFloat || !setNumbers(view, part, at)) return void 0;
    at += part.length;
  }
  return { dtype, shape, data };
};
var setNumbers = (view, part, at) => {
  for (let index = 0; index < part.length; index++) {
    const value = part[index];
    if (typeof value !== "number") return false;
    view[at + index] = value;
  }
  return true;
};
var requireElements = (what, dtype, values) => {
  const type = typeOf(dtype);
  const refuse = (wanted) => {
    throw new InvalidResult(`${what} has a value that is not a ${wanted}`);
  };
  if (values.some((value) => typeof value !== type)) refuse(type);
  const { range } = dtypes[dtype];
  if (range === void 0) return;
  const [low, high] = range;
  const fits =
    type === "bigint"
      ? (value) => value >= low && value <= high
      : (value) => Number.isInteger(value) && value >= Number(low) && value <= Number(high);
  if (!values.every(fits)) refuse(`${type === "bigint" ? "bigint" : "whole number"} from ${low} to ${high}`);
};
var typeOf = (dtype) => {
  if (dtype === "BYTES") return "string";
  if (dtype === "BOOL") return "boolean";
  return dtype === "INT64" || dtype === "UINT64" ? "bigint" : "number";
};
var unpack = (what, value) => {
  const { data, shape } = typeof value === "object" && value !== null ? value : {};
  if (!isList(data) || !Array.isArray(shape)) throw new InvalidResult(`${what} is not { data, shape }`);
  if (!shape.every((size) => Number.isInteger(size) && size >= 0))
    throw new InvalidResult(`${what} has a shape that is not a list of sizes`);
  const sizes = shape;
  if (data.length !== elementCount(sizes))
    throw new InvalidResult(`${what} has ${data.length} elements for shape [${sizes.join(", ")}]`);
  return { data, shape: sizes };
};
var isList = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

var readRequest = ({ inputs, per }, given) => {
  const sizes = /* @__PURE__ */ new Map();
  const read = Object.entries(inputs).map(([name, type]) => {
    const tensor = given.get(name);
    if (tensor === void 0) return [name, void 0];
    hold(InvalidRequest, `input ${name}`, tensor.shape, dimsOf(name, type), sizes);
    const { shape } = tensor;
    return [name, { elements: readElements(name, tensor), shape, scalar: isScalar(type.dims.slice(1)) }];
  });
  if (per === "row")
    return {
      calls: sizes.get("batch") ?? 0,
      inputs: (row) => Object.fromEntries(read.map(([name, tensor]) => [name, tensor && rowOf(tensor, row)])),
      prefix: (row) => `row ${row}: `,
      sizes,
    };
  return {
    calls: 1,
    inputs: () =>
      Object.fromEntries(
        read.map(([name, tensor]) => [name, tensor && { data: tensor.elements, shape: tensor.shape }]),
      ),
    prefix: () => "",
    sizes,
  };
};
var writeAnswer = ({ outputs: outputs2, per }, { sizes }, results) => {
  const write2 = per === "row" ? writeRows : writeWhole;
  return new Map(
    Object.entries(outputs2).map(([name, type]) => {
      const shown = (row) => (row === void 0 ? `output ${name}` : `row ${row}: output ${name}`);
      const output2 = { name, dtype: type.dtype, dims: dimsOf(name, type), shown };
      return [name, write2(output2, results, sizes)];
    }),
  );
};
var writeCall = (inputs, values, shown) => {
  const sizes = /* @__PURE__ */ new Map([["batch", 1]]);
  const tensors = /* @__PURE__ */ new Map();
  for (const [name, type] of Object.entries(inputs)) {
    if (values[name] === void 0 && type.optional === true) continue;
    const input2 = { name, dtype: type.dtype, dims: dimsOf(name, type), shown: () => shown(name) };
    if (values[name] === void 0) throw new InvalidResult(`${shown(name)} is missing`);
    tensors.set(name, (type.dims[0] === "batch" ? writeRows : writeWhole)(input2, [values], sizes));
  }
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(inputs, name));
  if (unknown !== void 0) throw new InvalidResult(`${shown(unknown)} is not declared`);
  return tensors;
};
var readCall = (outputs2, answer, shown) => {
  const sizes = /* @__PURE__ */ new Map([["batch", 1]]);
  return Object.fromEntries(
    Object.entries(outputs2).map(([name, type]) => {
      const tensor = answer.get(name);
      if (tensor === void 0) throw new InvalidRequest(`${shown(name)} is missing`);
      if (tensor.dtype !== type.dtype)
        throw new InvalidRequest(`${shown(name)} is ${tensor.dtype}, wanted ${type.dtype}`);
      hold(InvalidRequest, shown(name), tensor.shape, dimsOf(name, type), sizes);
      const elements = readElements(name, tensor);
      if (type.dims[0] !== "batch") return [name, { data: elements, shape: tensor.shape }];
      return [name, rowOf({ elements, shape: tensor.shape, scalar: isScalar(type.dims.slice(1)) }, 0)];
    }),
  );
};
var declaredResult = ({ outputs: outputs2 }, result, prefix) => {
  const values = typeof result === "object" && result !== null ? result : {};
  const names = Object.keys(outputs2);
  for (const name of names)
    if (!Object.hasOwn(values, name) || values[name] === void 0)
      throw new InvalidResult(`${prefix}output ${name} is missing`);
  const given = Object.keys(values);
  if (given.length === names.length) return values;
  const [unknown] = given
    .filter((name) => values[name] !== void 0 && !Object.hasOwn(outputs2, name))
    .toSorted();
  if (unknown !== void 0) throw new InvalidResult(`${prefix}output ${unknown} is not declared`);
  return values;
};
var dimsOf = (name, { dims }) => dims.map((dim, axis) => (dim === -1 ? `${name}.${axis}` : dim));
var hold = (Failure, what, shape, dims, sizes) => {
  if (shape.length === dims.length)
    dims.forEach((dim, axis) => {
      if (typeof dim === "string" && !sizes.has(dim)) sizes.set(dim, shape[axis] ?? 0);
    });
  const sizeOf2 = (dim) => (typeof dim === "string" ? (sizes.get(dim) ?? dim) : dim);
  if (shape.length === dims.length && dims.every((dim, axis) => sizeOf2(dim) === shape[axis])) return;
  throw new Failure(`${what} has shape [${shape.join(", ")}], wanted [${dims.map(sizeOf2).join(", ")}]`);
};
var rowOf = ({ elements, scalar, shape: [rows = 0, ...shape] }, row) => {
  if (scalar) return elements[row];
  const size = elements.length / (rows === 0 ? 1 : rows);
  const data = elements.slice(row * size, (row + 1) * size);
  return shape.length === 1 ? data : { data, shape };
};
var isScalar = (dims) => dims.length === 0 || (dims.length === 1 && dims[0] === 1);
var writeRows = (output2, results, sizes) => {
  const { name, dtype } = output2;
  const inner = output2.dims.slice(1);
  let shape = inner.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? 0) : dim));
  const rows = results.map((result, row) => {
    const value = result[name];
    if (isScalar(inner)) return [value];
    const what = output2.shown(row);
    const [data, size] = inner.length === 1 ? arrayOf(what, value) : elementsOf(what, value);
    hold(InvalidResult, what, size, inner, sizes);
    shape = [...size];
    return data;
  });
  try {
    return writeElements(name, dtype, [rows.length, ...shape], rows);
  } catch (error) {
    for (const [row, values] of rows.entries())
      writeElements(output2.shown(row), dtype, [values.length], [values]);
    throw error;
  }
};
var arrayOf = (what, value) => {
  if (!isList(value)) throw new InvalidResult(`${what} is not an array`);
  return [value, [value.length]];
};
var elementsOf = (what, value) => {
  const { data, shape } = unpack(what, value);
  return [data, shape];
};
var writeWhole = ({ name, dtype, dims, shown }, [result], sizes) => {
  const what = shown();
  const { data, shape } = unpack(what, result?.[name]);
  hold(InvalidResult, what, shape, dims, sizes);
  return writeElements(what, dtype, shape, [data]);
};

var parseTensors = (tensors, values, isWhole) => converted(tensors, values, isWhole, parse);
var printTensorsAsJson = (tensors, values, isWhole) =>
  converted(tensors, values, isWhole, (value) => JSON.stringify(value));
var converted = (tensors, values, isWhole, convert) => {
  let made = values;
  for (const name of Object.keys(tensors)) {
    const [tensor, value] = [tensors[name], values[name]];
    if (tensor?.json !== true || value === void 0) continue;
    const whole = value;
    const converted2 = isWhole(tensor)
      ? { ...whole, data: whole.data.map((one) => convert(one)) }
      : convert(value);
    made = { ...made, [name]: converted2 };
  }
  return made;
};
var parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
};

var CallError = class extends Error {
  name = "CallError";
  /** The model that was called. */
  model;
  /**
   * `call/invalid`: the values do not fit its inputs; `call/failed`: it refused the request or failed; `call/answer`: its answer does
   * not fit its outputs; `call/late`: the request ran out of time, or was already answered.
   */
  code;
  constructor(model, code, message, cause) {
    super(message, cause === void 0 ? void 0 : { cause });
    this.model = model;
    this.code = code;
  }
};
var concurrentCalls = 256;
var openCalls = (declared2, post2) => {
  const callees = Object.entries(declared2);
  const waiting = /* @__PURE__ */ new Map();
  const queue = [];
  let running = 0;
  let ids = 0;
  const turn = () => {
    if (running < concurrentCalls) {
      running++;
      return void 0;
    }
    return new Promise((resolve) => queue.push(resolve));
  };
  const done = () => {
    const next = queue.shift();
    if (next === void 0) running--;
    else next();
  };
  const ask = async (index, name, { model, inputs, outputs: outputs2 }, { context, request }, values) => {
    const at = {};
    Error.captureStackTrace(at, ask);
    const failure = (code, message, cause) => {
      const error = new CallError(model, code, message, cause);
      error.stack = `${String(error)}${at.stack?.slice(at.stack.indexOf("\n"))}`;
      return error;
    };
    const shownInput = (input2) => `input ${input2} of ${name}`;
    const tensors = guarded(failure, "call/invalid", () =>
      writeCall(inputs, printTensorsAsJson(inputs, values, isUnbatched), shownInput),
    );
    const free = turn();
    if (free !== void 0) await free;
    let stop = () => {};
    try {
      const late2 = () => failure("call/late", `${name}: ${context.why}`);
      if (context.why !== void 0) throw late2();
      const id = ++ids;
      const frame2 = await new Promise((resolve, reject) => {
        waiting.set(id, { resolve });
        stop = context.onEnd(() => {
          waiting.delete(id);
          post2(frameKinds.cancel, id, 0, []);
          reject(late2());
        });
        const call = { inputs: tensors, left: context.left(), request };
        post2(frameKinds.call, id, index, printCall(call, Object.keys(inputs)));
      });
      if (frame2.kind === frameKinds.callFailed) {
        const isAnswer = frame2.index === callFailures.answer;
        throw failure(isAnswer ? "call/answer" : "call/failed", `${name}: ${readText(frame2.body)}`);
      }
      return guarded(failure, "call/answer", () => {
        const answer = readTensors(frame2.body, declaredOf(outputs2));
        const read = readCall(outputs2, answer, (output2) => `output ${output2} of ${name}`);
        return parseTensors(outputs2, read, isUnbatched);
      });
    } finally {
      stop();
      done();
    }
  };
  return {
    calleesFor: (context, request) =>
      Object.fromEntries(
        callees.map(([name, callee], index) => [
          name,
          (values) => ask(index, name, callee, { context, request }, values),
        ]),
      ),
    settle: (frame2) => {
      const call = waiting.get(frame2.id);
      waiting.delete(frame2.id);
      call?.resolve(frame2);
    },
  };
};
var guarded = (failure, code, work) => {
  try {
    return work();
  } catch (error) {
    throw failure(code, error instanceof Error ? error.message : String(error), error);
  }
};
var isUnbatched = ({ dims }) => dims[0] !== "batch";
var declaredOf = (tensors) => Object.entries(tensors).map(([name, { dtype }]) => ({ name, dtype }));

import { AsyncLocalStorage } from "node:async_hooks";
var RequestContext = class {
  #end;
  #listeners;
  #controller;
  #why;
  #isAborted = false;
  /** @param limit Milliseconds that the request may take. */
  constructor(limit) {
    this.#end = performance.now() + limit;
  }
  /** Aborted when its time is over or no client waits for it. */
  get signal() {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort(new Error(this.#why));
    return this.#controller.signal;
  }
  /** Why it cannot make more calls; undefined while it can. */
  get why() {
    return this.#why;
  }
  /** The microseconds that are left, at least 1. */
  left() {
    return Math.max(1, Math.round((this.#end - performance.now()) * 1e3));
  }
  abort(why) {
    this.#isAborted = true;
    this.#endCalls(why);
    this.#controller?.abort(new Error(why));
  }
  /** It was answered: its calls end, but a `fetch` may continue. */
  answered() {
    this.#endCalls("the request already has its answer");
  }
  /** Calls back once when it cannot make more calls; returns a function that cancels this. */
  onEnd(call) {
    this.#listeners ??= /* @__PURE__ */ new Set();
    this.#listeners.add(call);
    return () => void this.#listeners?.delete(call);
  }
  #endCalls(why) {
    this.#why ??= why;
    for (const call of this.#listeners ?? []) call();
    this.#listeners = void 0;
  }
};
var storage = new AsyncLocalStorage();
var within = (context, work) => storage.run(context, work);
var limitFetch = () => {
  const unlimited = globalThis.fetch;
  globalThis.fetch = async (input2, init) => {
    const context = storage.getStore();
    if (context === void 0) return unlimited(input2, init);
    const own = init?.signal ?? (input2 instanceof Request ? input2.signal : void 0);
    const signal = own == null ? context.signal : AbortSignal.any([own, context.signal]);
    try {
      return await unlimited(input2, { ...init, signal });
    } catch (error) {
      throw error === context.signal.reason ? new Error(`fetch: ${context.why}`, { cause: error }) : error;
    }
  };
};

var execute = (hosted, requests, answers) => {
  const { options: options2, tell: tell2 } = hosted;
  const began = performance.now();
  const open = /* @__PURE__ */ new Map();
  const settled = /* @__PURE__ */ new Set();
  const settle = (request, deliver) => {
    if (settled.has(request)) return;
    settled.add(request);
    open.get(request)?.answered();
    open.delete(request);
    try {
      deliver();
    } catch (error) {
      answers.fail(request, 1, error instanceof InvalidResult ? error.message : tell2(error));
    }
  };
  const fail = (request, error) =>
    settle(request, () => {
      const isOurs = error instanceof InvalidRequest || error instanceof InvalidResult;
      answers.fail(request, error instanceof InvalidRequest ? 0 : 1, isOurs ? error.message : tell2(error));
    });
  const end2 = (request, why, place = "") => {
    open.get(request)?.abort(why);
    setImmediate(fail, request, new InvalidResult(why + place));
  };
  const begin = (index, { inputs, left }) => {
    if (left > 0 && performance.now() - began > left / 1e3) return fail(index, new InvalidResult(late));
    if (open.size > 0) answers.begun(index);
    const isShort = left > 0 && left < options2.timeLimit;
    const limit = (isShort ? left : options2.timeLimit) / 1e3;
    const context = new RequestContext(limit);
    open.set(index, context);
    try {
      const request = readRequest(options2, inputs);
      const callees = hosted.calleesFor(context, index);
      const results = within(context, () => callAll(hosted, request, callees));
      const written = (all) => {
        if (context.why === void 0)
          settle(index, () => answers.answer(index, writeAnswer(options2, request, all)));
      };
      if (!(results instanceof Promise)) return written(results);
      const timer = isShort
        ? setTimeout(end2, limit, index, late)
        : setTimeout(end2, limit, index, overdueText(options2), placeText(options2));
      void results
        .then(written)
        .catch((error) => fail(index, error))
        .finally(() => clearTimeout(timer));
    } catch (error) {
      fail(index, error);
    }
  };
  requests.forEach((request, index) => {
    if (!settled.has(index)) begin(index, request);
  });
  return { cancel: (request) => end2(request, "the request was cancelled") };
};
var late = "the request ran out of time";
var callAll = ({ run, options: options2, tell: tell2 }, request, callees) => {
  const isWhole = () => options2.per === "request";
  const checked = (value, call) =>
    declaredResult(
      options2,
      isObject(value) ? printTensorsAsJson(options2.outputs, value, isWhole) : value,
      request.prefix(call),
    );
  const thrown = (error, call) => {
    throw error instanceof InvalidResult
      ? error
      : new InvalidResult(`${request.prefix(call)}${tell2(error)}`);
  };
  const made = [];
  let isAsync = false;
  for (let call = 0; call < request.calls; call++) {
    let result;
    try {
      result = run(parseTensors(options2.inputs, request.inputs(call), isWhole), callees);
      if (!isThenable(result)) result = checked(result, call);
    } catch (error) {
      if (!isAsync) thrown(error, call);
      result = Promise.reject(error);
    }
    if (isThenable(result)) {
      isAsync = true;
      const settling = Promise.resolve(result)
        .then((value) => checked(value, call))
        .catch((error) => thrown(error, call));
      settling.catch(() => void 0);
      made.push(settling);
    } else made.push(result);
  }
  return isAsync ? inOrder(made) : made;
};
var inOrder = async (made) => {
  const results = [];
  for (const one of made) results.push(await one);
  return results;
};
var isObject = (value) => typeof value === "object" && value !== null;
var isThenable = (value) => isObject(value) && typeof value["then"] === "function";

var [input = 3, output = 4, quiet] = process.argv.slice(2).map(Number);
var folder = import.meta.dirname;
var options = JSON.parse(readFileSync(new URL("function.json", import.meta.url), "utf8"));
var declared = Object.entries(options.inputs).map(([name, { dtype }]) => ({ name, dtype }));
var outputs = Object.keys(options.outputs);
var tell = (error) => tellError(error, folder);
var spare = new Uint32Array(2 ** 12);
var quietBytes = 2 ** 14;
var write = (pipe, frame2) => {
  for (let at = 0; at < frame2.byteLength; ) at += writeSync(pipe, frame2, at);
};
var post = (kind, id, index, body = []) => write(output, printFrame(kind, id, index, body, spare));
var encoder2 = new TextEncoder();
var guard = () => {
  const refuse = (name) => () => {
    throw new Error(`${name}() was called, which would end the model`);
  };
  process.exit = refuse("process.exit");
  process.abort = refuse("process.abort");
  Object.assign(process, { reallyExit: refuse("process.reallyExit") });
  const report = (error) =>
    void process.stderr.write(`${inspect(error)}
`);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
};
var end = () => void process.kill(process.pid, "SIGKILL");
var serve = (run) => {
  const calls = openCalls(options.calls ?? {}, post);
  const hosted = { run, options, tell, calleesFor: calls.calleesFor };
  const executions = /* @__PURE__ */ new Map();
  const begin = (frame2) => {
    const { id } = frame2;
    let waiting = frame2.index;
    let room = quiet === void 0 ? 0 : quietBytes;
    const settle = (kind, index, body) => {
      const printed = printFrame(kind, id, index, body, spare);
      const isQuiet = --waiting > 0 && printed.byteLength <= room;
      if (waiting === 0) executions.delete(id);
      if (isQuiet) room -= printed.byteLength;
      write(isQuiet && quiet !== void 0 ? quiet : output, printed);
    };
    const execution = execute(hosted, readRequests(frame2, declared), {
      answer: (index, tensors) => settle(frameKinds.answer, index, printTensors(tensors, outputs)),
      fail: (index, code, text) => settle(frameKinds.failure, index, printFailure(code, text)),
      begun: (index) => post(frameKinds.begun, id, index),
    });
    if (waiting > 0) executions.set(id, execution);
  };
  const read = frameReader((frame2) => {
    if (frame2.kind === frameKinds.execute) begin(frame2);
    else if (frame2.kind === frameKinds.cancel) executions.get(frame2.id)?.cancel(frame2.index);
    else calls.settle(frame2);
  });
  const callback = (size, bytes) => {
    read(bytes.subarray(0, size));
    return true;
  };
  const pipe = {
    fd: input,
    readable: true,
    writable: false,
    onread: { buffer: new Uint8Array(2 ** 16), callback },
  };
  const socket = new Socket(pipe);
  for (const event of ["end", "close", "error"]) socket.on(event, end);
  socket.resume();
};
try {
  guard();
  limitFetch();
  const { run } = await import(new URL("run.mjs", import.meta.url).href);
  serve(run);
  post(frameKinds.ready, 0, 0);
} catch (error) {
  post(frameKinds.refused, 0, 0, [encoder2.encode(tell(error))]);
  end();
}
