// Tritype's host of a function on Node: answers the requests of the model.py next to it. Do not edit.
// SPDX-License-Identifier: Apache-2.0

import { existsSync, readFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { inspect as inspect2 } from "node:util";

var attempt = (work) => {
  try {
    return work();
  } catch {
    return void 0;
  }
};

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
  /** The catalog entry, such as `dataset/not-utf8`, which the terminal prints and `pipeline explain` knows. */
  reason;
  /** The fix, as an imperative sentence. */
  help;
  /** The wrong option of the call that threw, so that the position of the option is shown instead of the call's. */
  option;
  constructor(code, message, options2 = {}) {
    super(message, options2.cause === void 0 ? void 0 : { cause: options2.cause });
    this.name = "PipelineError";
    this.code = code;
    this.reason = options2.reason ?? code;
    this.help = options2.help;
    this.option = options2.option;
    Object.defineProperty(this, brand, { value: true });
  }
  /** Also recognizes errors from other copies of this package. */
  static is(value) {
    return typeof value === "object" && value !== null && brand in value;
  }
};
var defineErrors =
  (catalog) =>
  (reason, parameters, { cause, help, option } = {}) => {
    const entry = catalog[reason];
    const advice = help ?? (entry.help === void 0 ? void 0 : fillTemplate(entry.help, parameters));
    return new PipelineError(entry.code, fillTemplate(entry.message, parameters), {
      reason,
      cause,
      help: advice,
      option,
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
    message: "a string of {size} bytes is too long: JavaScript's limit is {limit}",
    help: "send it in parts, or as UINT8",
  },
  "server/unreadable-answer": {
    code: "request/malformed",
    message: "the server's answer cannot be read: {why}",
    help: "check that the address belongs to Triton, and not to a proxy or another program",
  },
  "tensor/wrong-size": {
    code: "tensor/wrong-size",
    message: "shape [{shape}] has {expected} elements, got {got}",
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
  return attempt(() => strict.decode(bytes));
};
var longestText = 2 ** 29 - 24;
var requireHoldable = ({ byteLength: byteLength2 }) => {
  if (byteLength2 > longestText)
    throw generalError("request/text-too-long", { size: byteLength2, limit: longestText });
};

var ownValue = (record, name) => (record !== void 0 && Object.hasOwn(record, name) ? record[name] : void 0);

var elementCount = (shape) => {
  let count = 1;
  for (const dim of shape) count *= dim;
  return count;
};
var byteLength = (dtype, shape) => elementCount(shape) * elementSize(dtype);
var elementSize = (dtype) => {
  const size = dtypes[dtype].byteSize;
  invariant(size !== void 0, `${dtype} has no element size`);
  return size;
};
var typedArrays = {
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
  return new typedArrays[tensor.dtype](aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
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

var InvalidRequest = class extends Error {};
var InvalidResult = class extends Error {};
var limitOf = ({ timeLimit }) => Math.min(timeLimit / 1e3, 2e9);
var overdueText = ({ timeLimit }) => `the request took longer than ${timeLimit / 1e6} s`;
var placeText = ({ writtenAt }) => (writtenAt === void 0 ? "" : ` (${writtenAt})`);

var widened = (dtype, view) => {
  if (dtype === "BOOL") return Array.from(view, (byte) => byte !== 0);
  if (dtype === "FP16") return Float32Array.from(view, halfToNumber);
  return view;
};
var refuseText = (name, shape, count, index) => {
  throw new InvalidRequest(
    `row ${Math.floor((index * (shape[0] ?? 1)) / count)} of ${name} is not valid UTF-8`,
  );
};
var checkElements = (what, dtype, shape, parts) => {
  if (isAsWritten(dtype, parts)) return { dtype, shape, parts };
  const values = parts.flatMap((part) => [...part]);
  requireElements(what, dtype, values);
  const tensor = tensorOf(dtype, shape, values);
  return { dtype, shape, parts: [tensor.dtype === "BYTES" ? values : typedArrayOf(tensor)] };
};
var ownOutput = ({ dtype, shape, parts }) => ({
  dtype,
  shape: [...shape],
  parts: parts.map((part) => Array.from(part)),
});
var isAsWritten = (dtype, parts) => {
  if (dtype === "BYTES") return parts.every((part) => isEvery(part, "string"));
  if (dtype === "BOOL" || dtype === "FP16" || dtype === "BF16") return false;
  const isFloat = dtype === "FP32" || dtype === "FP64";
  return parts.every((part) => part instanceof typedArrays[dtype] || (isFloat && isEvery(part, "number")));
};
var isEvery = (part, type) => {
  for (let index = 0; index < part.length; index++) if (typeof part[index] !== type) return false;
  return true;
};
var setElements = (view, parts) => {
  let at = 0;
  for (const part of parts) {
    view.set(part, at);
    at += part.length;
  }
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
  const fits2 =
    type === "bigint"
      ? (value) => value >= low && value <= high
      : (value) => Number.isInteger(value) && value >= Number(low) && value <= Number(high);
  if (!values.every(fits2)) refuse(`${type === "bigint" ? "bigint" : "whole number"} from ${low} to ${high}`);
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

var FramedTensor = class {
  shape;
  bytes;
  /** The position of its data in these bytes. */
  at;
  length;
  constructor(shape, bytes, at, length) {
    this.shape = shape;
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }
  elements(name, dtype) {
    const { bytes, at } = this;
    if (dtype !== "BYTES") {
      const count = this.length / elementSize(dtype);
      return widened(dtype, new typedArrays[dtype](bytes.buffer, bytes.byteOffset + at, count));
    }
    const texts = [];
    for (let start = at + 4; start <= at + this.length; ) {
      const end2 = start + bytes.readUInt32LE(start - 4);
      const text = quickText(bytes, start, end2) ?? tryDecodeUtf8(bytes.subarray(start, end2));
      texts.push(text ?? refuseText(name, this.shape, elementCount(this.shape), texts.length));
      start = end2 + 4;
    }
    return texts;
  }
};
var quickText = (bytes, start, end2) => {
  if (end2 - start > 2 ** 28) return void 0;
  const text = bytes.toString("utf8", start, end2);
  return text.includes("�") ? void 0 : text;
};

var frameKinds = {
  /** id: the execution; index: its number of requests. Each: u32 length, u32 microseconds left (0: no limit), tensors. */
  execute: 1,
  /** id: the execution; index: the request. All outputs. */
  answer: 2,
  /** u32 code (0 for the client's mistake, 1 if the model failed), u32 0, string. */
  failure: 3,
  /** A request starts before an earlier one of its execution is answered. */
  begun: 4,
  /** The function is loaded. */
  ready: 5,
  /** The function cannot be loaded: a string. */
  refused: 6,
  /** No client is waiting for this request any more. */
  cancel: 7,
  /** The function calls another model. id: the call; index: which one. u32 microseconds left (0: no limit), u32 request, tensors. */
  call: 8,
  /** id: the call. All outputs. */
  result: 9,
  /** id: the call; index: one of `callFailures`. A string. */
  callFailed: 10,
  /** Wakes the process, because a request follows. */
  wake: 11,
};
var callFailures = { failed: 0, answer: 1 };
var largestWord = 2 ** 32 - 1;
var nextId = (id) => (id === largestWord ? 0 : id + 1);
var headerSize = 16;
var largestBody = 2 ** 32 - 8;
var padded = (size) => Math.ceil(size / 8) * 8;
var sizeOf = (parts) =>
  parts.reduce(
    (sum, part) => sum + (part instanceof Uint8Array ? part.byteLength : padded(part.length * 4)),
    0,
  );
var printFrame = (kind, id, index, body = []) => {
  const size = sizeOf(body);
  requireSize(size);
  const words = new Uint32Array(padded(headerSize + size) / 4);
  const bytes = new Uint8Array(words.buffer);
  words.set([size, kind, id, index]);
  let at = headerSize;
  for (const part of body) {
    if (part instanceof Uint8Array) bytes.set(part, at);
    else words.set(part, at / 4);
    at += sizeOf([part]);
  }
  return bytes.subarray(0, headerSize + size);
};
var requireSize = (size) => {
  if (size > largestBody)
    throw new RangeError(`a frame can contain up to 4 GiB, but this one has ${size} bytes`);
};
var FrameWriter = class {
  #bytes = Buffer.allocUnsafeSlow(usualSize);
  #words = new Uint32Array(this.#bytes.buffer);
  #at = 0;
  /**
   * A frame with an even number of integers, and tensors by their numbers. It is valid until the next one is written.
   * @throws RangeError for a body of 4 GiB or more.
   */
  print(kind, id, index, outputs, integers = []) {
    this.#at = headerSize;
    for (const integer of integers) this.#put(integer);
    const place = this.#at / 4;
    let count = 0;
    this.#at += 8;
    for (let which = 0; which < outputs.length; which++) {
      const output2 = outputs[which];
      if (output2 === void 0) continue;
      count++;
      this.#tensor(which, output2);
    }
    const [words, bytes, end2] = [this.#words, this.#bytes, this.#at];
    words[place] = count;
    words[place + 1] = 0;
    this.#at = 0;
    for (const word of [end2 - headerSize, kind, id, index]) this.#put(word);
    if (bytes.byteLength > largestKept) this.#hold(Buffer.allocUnsafeSlow(usualSize));
    return bytes.subarray(0, end2);
  }
  #put(word) {
    this.#words[this.#at / 4] = word;
    this.#at += 4;
  }
  #tensor(which, { dtype, shape, parts }) {
    const head = this.#at;
    const start = head + padded(16 + 4 * shape.length);
    const length = dtype === "BYTES" ? 0 : byteLength(dtype, shape);
    this.#reserve(start + length + 8);
    if (dtype === "BYTES") this.#strings(start, parts);
    else {
      setElements(new typedArrays[dtype](this.#bytes.buffer, start, length / elementSize(dtype)), parts);
      this.#at = start + length;
    }
    const end2 = this.#at;
    this.#at = head;
    for (const word of [which, shape.length, end2 - start, 0]) this.#put(word);
    for (const size of shape) this.#put(size);
    if (shape.length % 2 === 1) this.#put(0);
    this.#at = padded(end2);
    for (let at = end2; at < this.#at; at++) this.#bytes[at] = 0;
  }
  /** Each text is preceded by its length. */
  #strings(start, parts) {
    this.#at = start;
    for (const part of parts)
      for (const text of part) {
        const most = text.length < 1e3 ? 3 * text.length : Buffer.byteLength(text);
        this.#reserve(this.#at + most + 16);
        const length = this.#bytes.write(text, this.#at + 4);
        this.#bytes.writeUInt32LE(length, this.#at);
        this.#at += 4 + length;
      }
  }
  /** Makes room up to this position. */
  #reserve(end2) {
    if (end2 <= this.#bytes.byteLength) return;
    requireSize(end2 - headerSize - 16);
    const larger = Buffer.allocUnsafeSlow(padded(Math.max(end2, Math.min(2 * end2, largestBody))));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#hold(larger);
  }
  #hold(bytes) {
    this.#bytes = bytes;
    this.#words = new Uint32Array(bytes.buffer);
  }
};
var usualSize = 2 ** 16;
var largestKept = 2 ** 22;
var zeros = new Uint8Array(8);
var printFailure = (code, text) => [[code, 0], new TextEncoder().encode(text)];
var wordsOf = ({ buffer, byteOffset, byteLength: byteLength2 }) =>
  new Uint32Array(buffer, byteOffset, byteLength2 >>> 2);
var framedTensors = (bytes, words, from) => {
  const tensors = [];
  let at = from + 8;
  for (let count = words[from / 4] ?? 0; count > 0; count--) {
    const first = at / 4;
    const [which = 0, rank = 0, length = 0] = [words[first], words[first + 1], words[first + 2]];
    const shape = [];
    for (let axis = 0; axis < rank; axis++) shape.push(words[first + 4 + axis] ?? 0);
    at += padded(16 + 4 * rank);
    invariant(at + length <= bytes.byteLength, "a frame is corrupt");
    while (tensors.length < which) tensors.push(void 0);
    tensors[which] = new FramedTensor(shape, bytes, at, length);
    at += padded(length);
  }
  return tensors;
};
var readRequests = ({ body, index: count }) => {
  const words = wordsOf(body);
  const requests = [];
  for (let at = 0; requests.length < count; at += 8 + (words[at / 4] ?? 0))
    requests.push({ tensors: framedTensors(body, words, at + 8), left: words[at / 4 + 1] ?? 0 });
  return requests;
};
var readResult = ({ body }) => framedTensors(body, wordsOf(body), 0);
var readText = (body) => new TextDecoder().decode(body);
var frameReader = (onFrame, isLent = () => false) => {
  const header = new Uint32Array(headerSize / 4);
  const headerBytes = Buffer.from(header.buffer);
  let body;
  let filled = 0;
  return (chunk) => {
    let at = 0;
    const take = (target) => {
      const size = chunk.copy(target, filled, at);
      at += size;
      filled += size;
      return filled === target.byteLength;
    };
    for (;;) {
      if (body === void 0) {
        if (!take(headerBytes)) return;
        const [size = 0, kind = 0] = header;
        filled = 0;
        if (isLent(kind) && at + size <= chunk.byteLength && (chunk.byteOffset + at) % 8 === 0) {
          body = chunk.subarray(at, at + size);
          at += size;
          filled = size;
        } else body = Buffer.allocUnsafeSlow(size);
      }
      if (filled < body.byteLength && !take(body)) return;
      const frame2 = { kind: header[1] ?? 0, id: header[2] ?? 0, index: header[3] ?? 0, body };
      body = void 0;
      filled = 0;
      onFrame(frame2);
    }
  };
};

import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, types } from "node:util";

import { resolve } from "node:path";
var deniedBy = (error) => {
  const { code, permission, resource, stack, message } = error;
  if (code === "ERR_MODULE_NOT_FOUND") return missing(String(message));
  if (code === "ERR_ACCESS_DENIED" && permission === "WorkerThreads") return worker(String(stack));
  const [says, option] = (code === "ERR_ACCESS_DENIED" && actions.get(permission)) || [];
  if (option === void 0) return void 0;
  const path = option === "fsRead" || option === "fsWrite" ? resolve(String(resource)) : void 0;
  const name = packageIn(path ?? "");
  if (option === "fsRead" && name !== void 0) return fromPackage(name);
  return {
    says: `${says}${path === void 0 ? "" : ` "${path}"`}, which is not allowed`,
    advice: `add \`allow: { ${option}: ${path === void 0 ? "true" : JSON.stringify([path])} }\` to the step`,
  };
};
var fromPackage = (name) => ({
  says: `reads the npm package "${name}", which is not in its folder`,
  advice: install,
});
var missing = (message) => {
  const [, name] = /^Cannot find package '([^']+)' imported from .*\brun\.mjs$/.exec(message) ?? [];
  return name === void 0
    ? void 0
    : { says: `needs the npm package "${name}", which is not installed`, advice: install };
};
var install = "run `npm ci` in the build's npm folder and copy node_modules into the version folder";
var packageIn = (path) => /\bnode_modules\/((?:@[^/]+\/)?[^./][^/]*)(?!.*\bnode_modules\/)/.exec(path)?.[1];
var worker = (stack) => {
  const [caller = ""] = /^ {4}at (?!.*[( ](?:node:|<anonymous>)).*$/m.exec(stack) ?? [];
  const name = packageIn(caller);
  return name === void 0
    ? {
        says: "starts a worker thread, which is not allowed",
        advice: 'add `instanceGroup: [{ kind: "cpu", count: 2 }]` to the step: each instance is a process',
      }
    : {
        says: `starts a worker thread through the npm package "${name}", which is not allowed`,
        advice: "use the package in a form that needs none, such as pino without `transport`",
      };
};
var actions = /* @__PURE__ */ new Map([
  ["FileSystemRead", ["reads", "fsRead"]],
  ["FileSystemWrite", ["writes", "fsWrite"]],
  ["ChildProcess", ["starts a process", "childProcess"]],
  ["Addon", ["loads native code", "addons"]],
]);

var tellError = (error, folder2, place = "") => {
  if (!isError(error)) return `${describeThrown(error)} was thrown${place}`;
  const { name, message } = error;
  const denied = deniedBy(error);
  const says = denied ? `the function ${denied.says}; ${denied.advice}` : String(message);
  const text = says === "" ? String(name) : `${String(name)}: ${says}`;
  const collected = error instanceof AggregateError ? error.errors.slice(0, 3).map(describeThrown) : [];
  return [text, ...collected].join("; ") + placeIn(error, folder2);
};
var placeIn = (error, folder2, depth = 0) => {
  if (!isError(error) || depth > deepestCause) return "";
  const { stack, cause } = error;
  let place = placeOf(typeof stack === "string" ? stack : "", folder2);
  for (const one of [...(error instanceof AggregateError ? error.errors : []), cause])
    place ||= placeIn(one, folder2, depth + 1);
  return place;
};
var deepestCause = 8;
var isError = (value) => value instanceof Error || types.isNativeError(value);
var describeThrown = (value) => {
  if (isError(value)) return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  return inspect(value, { breakLength: Infinity, customInspect: false });
};
var placeOf = (stack, folder2) => {
  const frames = stack.slice(Math.max(0, stack.search(/\n {4}at /)));
  let bundled = "";
  for (const [, url = "", line = "", column = ""] of frames.matchAll(frame)) {
    if (url.endsWith(generated)) continue;
    const path = pathOf(url);
    if (!path.startsWith(folder2 + sep)) continue;
    const file = path.slice(folder2.length + 1);
    if (/^(?:host|inputs)\.mjs$|node_modules\//.test(file)) continue;
    const place = ` (${file}:${line}:${column})`;
    if (file !== "run.mjs") return place;
    bundled ||= place;
  }
  return bundled;
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

var signatureOf = ({ inputs, outputs, per }) => ({
  per,
  inputs: portsOf(inputs),
  outputs: portsOf(outputs),
});
var portsOf = (tensors) =>
  Object.entries(tensors).map(([name, { dtype, dims: declared, optional }]) => {
    const dims = declared.map((dim, axis) => (dim === -1 ? `${name}.${axis}` : dim));
    const inner = dims.slice(1);
    const isScalar = inner.length === 0 || (inner.length === 1 && inner[0] === 1);
    return { name, dtype, dims, inner, isScalar, isOptional: optional === true };
  });
var ReadRequest = class {
  sizes = /* @__PURE__ */ new Map();
  /** The number of times that the function is called: once for each row, or once. */
  calls;
  #signature;
  #elements = [];
  #given;
  /**
   * Checks the inputs against the declaration.
   * @param given The inputs in the order of the declaration.
   * @throws InvalidRequest
   */
  constructor(signature, given) {
    this.#signature = signature;
    this.#given = given;
    for (let index = 0; index < signature.inputs.length; index++) {
      const [{ name, dtype, dims, isOptional }, tensor] = [signature.inputs[index], given[index]];
      if (tensor === void 0 && isOptional) continue;
      if (tensor === void 0) throw new InvalidRequest(`input ${name} is missing`);
      if (!fits(tensor.shape, dims, this.sizes))
        throw new InvalidRequest(misfit(`input ${name}`, tensor.shape, dims, this.sizes));
      this.#elements[index] = tensor.elements(name, dtype);
    }
    this.calls = signature.per === "row" ? (this.sizes.get("batch") ?? 0) : 1;
  }
  inputs(call) {
    const { inputs, per } = this.#signature;
    const values = {};
    for (let index = 0; index < inputs.length; index++) {
      const { name, isScalar } = inputs[index];
      const [elements, shape = []] = [this.#elements[index], this.#given[index]?.shape];
      if (elements === void 0) values[name] = void 0;
      else values[name] = per === "row" ? rowOf(elements, shape, isScalar, call) : { data: elements, shape };
    }
    return values;
  }
  /** The start of a message about one call: `row 3: `, or "" for a function of all rows. */
  prefix(call) {
    return this.#signature.per === "row" ? `row ${call}: ` : "";
  }
};
var writeAnswer = ({ outputs, per }, { sizes }, results) => {
  const write2 = per === "row" ? writeRows : writeWhole;
  return outputs.map((port) => write2(port, results, sizes, shownOutput));
};
var writeCall = (inputs, values, shown) => {
  const sizes = /* @__PURE__ */ new Map([["batch", 1]]);
  const written = inputs.map((port) => {
    const { name, dims, isOptional } = port;
    if (ownValue(values, name) === void 0) {
      if (isOptional) return void 0;
      throw new InvalidResult(`${shown(name)} is missing`);
    }
    return (dims[0] === "batch" ? writeRows : writeWhole)(port, [values], sizes, shown);
  });
  const unknown = Object.keys(values).find((name) => !inputs.some((port) => port.name === name));
  if (unknown !== void 0) throw new InvalidResult(`${shown(unknown)} is not declared`);
  return written;
};
var readCall = (outputs, answer, shown) => {
  const sizes = /* @__PURE__ */ new Map([["batch", 1]]);
  const values = {};
  for (const [index, { name, dtype, dims, isScalar }] of outputs.entries()) {
    const tensor = answer[index];
    if (tensor === void 0) throw new InvalidRequest(`${shown(name)} is missing`);
    const { shape } = tensor;
    if (!fits(shape, dims, sizes)) throw new InvalidRequest(misfit(shown(name), shape, dims, sizes));
    const elements = tensor.elements(name, dtype);
    values[name] = dims[0] === "batch" ? rowOf(elements, shape, isScalar, 0) : { data: elements, shape };
  }
  return values;
};
var declaredResult = ({ outputs }, result, request, call) => {
  if (!isObject(result)) {
    const got = result == null ? String(result) : `a ${typeof result}`;
    throw new InvalidResult(`${request.prefix(call)}run returned ${got}, not an object with the outputs`);
  }
  for (const { name } of outputs)
    if (!Object.hasOwn(result, name) || result[name] === void 0)
      throw new InvalidResult(`${request.prefix(call)}output ${name} is missing`);
  const given = Object.keys(result);
  if (given.length === outputs.length) return result;
  const [unknown] = given
    .filter((name) => result[name] !== void 0 && !outputs.some((port) => port.name === name))
    .toSorted();
  if (unknown !== void 0) throw new InvalidResult(`${request.prefix(call)}output ${unknown} is not declared`);
  return result;
};
var isObject = (value) => typeof value === "object" && value !== null;
var isPromise = (value) => isObject(value) && typeof value["then"] === "function";
var shownOutput = (name, row) => (row === void 0 ? `output ${name}` : `row ${row}: output ${name}`);
var fits = (shape, dims, sizes) => {
  if (shape.length !== dims.length) return false;
  let isFitting = true;
  for (let axis = 0; axis < dims.length; axis++) {
    const [dim = 0, size = 0] = [dims[axis], shape[axis]];
    const wanted = typeof dim === "string" ? sizes.get(dim) : dim;
    if (wanted === void 0) sizes.set(dim, size);
    else if (wanted !== size) isFitting = false;
  }
  return isFitting;
};
var misfit = (what, shape, dims, sizes) => {
  const wanted = dims.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? dim) : dim));
  return `${what} has shape [${shape.join(", ")}], wanted [${wanted.join(", ")}]`;
};
var rowOf = (elements, shape, isScalar, row) => {
  if (isScalar) return elements[row];
  const [rows = 0] = shape;
  const size = elements.length / (rows === 0 ? 1 : rows);
  const data = elements.slice(row * size, (row + 1) * size);
  return shape.length === 2 ? data : { data, shape: shape.slice(1) };
};
var writeRows = (port, results, sizes, shown) => {
  const { name, dtype, inner, isScalar } = port;
  let shape = inner.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? 0) : dim));
  const rows = [];
  for (let row = 0; row < results.length; row++) {
    const value = awaited(results[row]?.[name], name, shown, row);
    if (isScalar) {
      rows.push([value]);
      continue;
    }
    const { data, shape: size } =
      inner.length === 1 ? arrayOf(name, value, row, shown) : unpack(shown(name, row), value);
    if (!fits(size, inner, sizes)) throw new InvalidResult(misfit(shown(name, row), size, inner, sizes));
    shape = [...size];
    rows.push(data);
  }
  try {
    return checkElements(name, dtype, [rows.length, ...shape], rows);
  } catch (error) {
    for (const [row, values] of rows.entries())
      checkElements(shown(name, row), dtype, [values.length], [values]);
    throw error;
  }
};
var awaited = (value, name, shown, row) => {
  if (isPromise(value)) throw new InvalidResult(`${shown(name, row)} is a Promise: await it`);
  return value;
};
var arrayOf = (name, value, row, shown) => {
  if (!isList(value)) throw new InvalidResult(`${shown(name, row)} is not an array`);
  return { data: value, shape: [value.length] };
};
var writeWhole = ({ name, dtype, dims }, [result], sizes, shown) => {
  const what = shown(name);
  const { data, shape } = unpack(what, awaited(result?.[name], name, shown));
  if (!fits(shape, dims, sizes)) throw new InvalidResult(misfit(what, shape, dims, sizes));
  return checkElements(what, dtype, shape, [data]);
};

var callSite = (called) => {
  const at = {};
  Error.captureStackTrace(at, called);
  return (error) => {
    if (typeof at.stack === "string") error.stack = String(error) + at.stack.replace(/^[^\n]*/, "");
    return error;
  };
};
var withoutInnerFrames = (text) => text.replaceAll(innerFrame, "");
var innerFrame =
  /\n +at (?:async )?(?:[^\n]*\()?(?:node:|file:[^\n]*\/(?:host|inputs)\.mjs:)[^\n]*?(?=(?: \{|,)?(?:\n|$))/g;
var hasOuterFrame = (stack) => /\n +at [^\n]*\//.test(withoutInnerFrames(stack));

var jsonProblem = (value, index) => {
  const found = value === void 0 ? { path: "", is: "undefined; use null" } : find(value, []);
  if (found === void 0) return void 0;
  const at = index === void 0 ? "" : `data[${index}]`;
  return `${at + found.path || "it"} is ${found.is}`;
};
var find = (value, around) => {
  const is = isObject(value) ? lostObject(value, around) : lostScalar(value);
  if (is !== void 0) return { path: "", is };
  if (!isObject(value) || "toJSON" in value) return void 0;
  around.push(value);
  const found = Array.isArray(value) ? findInList(value, around) : findInRecord(value, around);
  around.pop();
  return found;
};
var findInList = (list2, around) => {
  for (let index = 0; index < list2.length; index++) {
    const found = find(list2[index], around);
    if (found !== void 0) return { ...found, path: `[${index}]${found.path}` };
  }
  return void 0;
};
var findInRecord = (record, around) => {
  for (const name of Object.keys(record)) {
    const found = find(record[name], around);
    if (found === void 0) continue;
    const step = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return { ...found, path: step + found.path };
  }
  return void 0;
};
var lostScalar = (value) => {
  if (typeof value === "bigint") return "a bigint; convert it with Number() or String()";
  return typeof value === "function" || typeof value === "symbol"
    ? `a ${typeof value}; leave it out`
    : void 0;
};
var lostObject = (value, around) => {
  if (around.includes(value)) return "an object that contains it; leave it out";
  if (isPromise(value)) return "a Promise; await it, or use Promise.all for a list";
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null) return void 0;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? "an invalid Date; use a valid one or null" : void 0;
  if (boxes.some((box) => value instanceof box)) return lostScalar(value.valueOf());
  if ("toJSON" in value) return void 0;
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const isHidden = ArrayBuffer.isView(value) || conversions.has(tag) || Object.keys(value).length === 0;
  if (!isHidden) return void 0;
  const { constructor: { name = tag } = {} } = value;
  const shown = tag === "Object" ? name : tag;
  const other = Symbol.iterator in value ? list : "use a plain object, or give its class a toJSON() method";
  return `${/^[AEIO]/.test(shown) ? "an" : "a"} ${shown}; ${conversions.get(tag) ?? other}`;
};
var boxes = [Number, String, Boolean];
var list = "convert it to a list with [...]";
var conversions = /* @__PURE__ */ new Map([
  ["Map", "convert it with Object.fromEntries()"],
  ["Set", list],
  ["Error", "use its message"],
]);

var jsonTensors = (tensors, isWhole, readers2) =>
  Object.entries(tensors)
    .filter(([, { json }]) => json === true)
    .map(([name, tensor]) => ({ name, isWhole: isWhole(tensor), parse: readers2?.get(name) ?? parseJson }));
var parseTensors = (tensors, values, shown) =>
  converted(tensors, values, (text, { name, parse }) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof Error) error.message = `${shown(name)}: ${error.message}`;
      throw error;
    }
  });
var printTensors = (tensors, values, shown) =>
  converted(tensors, values, (value, { name }, index) => {
    let text;
    let failure;
    try {
      text = JSON.stringify(value);
    } catch (error) {
      failure = String(error).replaceAll(/\s+/g, " ");
    }
    const problem = jsonProblem(value, index) ?? failure;
    if (problem !== void 0) throw new InvalidResult(`${shown(name)} is not JSON: ${problem}`);
    return text;
  });
var converted = (tensors, values, convert) => {
  let made = values;
  for (const tensor of tensors) {
    const { name, isWhole } = tensor;
    const value = values[name];
    const data = isWhole ? value?.data : [];
    if (value === void 0 || !Array.isArray(data)) continue;
    const converted2 = isWhole
      ? {
          ...value,
          data: data.map((one, index) => convert(one, tensor, index)),
        }
      : convert(value, tensor);
    made = { ...made, [name]: converted2 };
  }
  return made;
};
var parseJson = (text) => {
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
  constructor(model, code, message) {
    super(message);
    this.model = model;
    this.code = code;
  }
};
var preparedCallee = ([name, { model, inputs, outputs }], index) => ({
  name,
  index,
  model,
  inputs: portsOf(inputs),
  outputs: portsOf(outputs),
  jsonInputs: jsonTensors(inputs, isUnbatched),
  jsonOutputs: jsonTensors(outputs, isUnbatched),
  shownInput: (input2) => `input ${input2} of ${name}`,
  shownOutput: (output2) => `output ${output2} of ${name}`,
});
var concurrentCalls = 256;
var openCalls = (declared, caller) => {
  const callees = Object.entries(declared).map(preparedCallee);
  const waiting = /* @__PURE__ */ new Map();
  const queue = [];
  let running = 0;
  let ids = 0;
  const turn = () => {
    if (running < concurrentCalls) {
      running++;
      return void 0;
    }
    return new Promise((resolve2) => queue.push(resolve2));
  };
  const done = () => {
    const next = queue.shift();
    if (next === void 0) running--;
    else next();
  };
  const ask = async (callee, context, request, values) => {
    const { name, model, shownInput: shownInput2 } = callee;
    const place = callSite(ask);
    const failure = (code, message) => place(new CallError(model, code, message));
    let inputs = guarded(failure, "call/invalid", () =>
      writeCall(callee.inputs, printTensors(callee.jsonInputs, values ?? {}, shownInput2), shownInput2),
    );
    const free = turn();
    if (free !== void 0) {
      inputs = inputs.map((input2) => input2 && ownOutput(input2));
      await free;
    }
    let stop = () => {};
    try {
      const late2 = () => failure("call/late", `${name}: ${context.why}`);
      if (context.why !== void 0) throw late2();
      const id = (ids = nextId(ids));
      const frame2 = await new Promise((resolve2, reject) => {
        waiting.set(id, { resolve: resolve2 });
        stop = context.onEnd(() => {
          waiting.delete(id);
          caller.cancel(id);
          reject(late2());
        });
        caller.call(id, callee.index, [context.left(), request], inputs);
      });
      if (frame2.kind === frameKinds.callFailed) {
        const isAnswer = frame2.index === callFailures.answer;
        const text = readText(frame2.body);
        const told = text.startsWith(`${model}: `) ? text : `${name}: ${text}`;
        throw failure(isAnswer ? "call/answer" : "call/failed", told);
      }
      return guarded(failure, "call/answer", () => {
        const values2 = readCall(callee.outputs, readResult(frame2), callee.shownOutput);
        return parseTensors(callee.jsonOutputs, values2, callee.shownOutput);
      });
    } finally {
      stop();
      done();
    }
  };
  return {
    calleesFor: (context, request) =>
      Object.fromEntries(
        callees.map((callee) => [callee.name, (values) => ask(callee, context, request, values)]),
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
    throw failure(code, error instanceof Error ? error.message : String(error));
  }
};
var isUnbatched = ({ dims }) => dims[0] !== "batch";

import { AsyncLocalStorage } from "node:async_hooks";
var RequestContext = class {
  #end;
  #listeners;
  #controller;
  #why;
  #isAborted = false;
  /** @param end The time at which its time limit ends, in milliseconds like `performance.now()`. */
  constructor(end2) {
    this.#end = end2;
  }
  /** Aborted when its time is up or no client is waiting for it. */
  get signal() {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort(new Error(this.#why));
    return this.#controller.signal;
  }
  /** Whether its time is up or no client is waiting for it. */
  get isAborted() {
    return this.#isAborted;
  }
  /** The reason why it cannot make more calls; undefined while it can. */
  get why() {
    return this.#why;
  }
  /** The remaining microseconds, at least 1 and at most what a frame can say. */
  left() {
    return Math.min(Math.max(1, Math.round((this.#end - performance.now()) * 1e3)), largestWord);
  }
  abort(why) {
    this.#isAborted = true;
    this.#endCalls(why);
    this.#controller?.abort(new Error(why));
  }
  /** Called once it has been answered: its calls end, but a `fetch` may continue. */
  answered() {
    this.#endCalls("the request has already been answered");
  }
  /** Calls `call` once when no more calls can be made; returns a function that removes it. */
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
var within = (context, work, ...args) => storage.run(context, work, ...args);
var currentRequest = () => storage.getStore();

var hostedRun = (given, readers2) => {
  const { options: options2 } = given;
  const isWhole = () => options2.per === "request";
  return {
    ...given,
    signature: signatureOf(options2),
    jsonInputs: jsonTensors(options2.inputs, isWhole, readers2),
    jsonOutputs: jsonTensors(options2.outputs, isWhole),
  };
};
var Execution = class {
  #hosted;
  #answers;
  #began = performance.now();
  /** The requests whose promises have not settled. */
  #open = /* @__PURE__ */ new Map();
  constructor(hosted, answers) {
    this.#hosted = hosted;
    this.#answers = answers;
  }
  /** Runs the requests in order: the next one begins when the function has returned, or has returned a promise. */
  run(requests) {
    for (let index = 0; index < requests.length; index++) this.#begin(index, requests[index]);
  }
  /** No client is waiting for this request any more. */
  cancel(index) {
    this.#end(index, "the request was cancelled");
  }
  #begin(index, { tensors, left }) {
    const { options: options2, signature, calleesFor } = this.#hosted;
    const now = index === 0 ? this.#began : performance.now();
    if (left > 0 && now - this.#began > left / 1e3) {
      this.#send(index, new PlacedFailure(late));
      return;
    }
    if (this.#open.size > 0) this.#answers.begun(index);
    const isShort = left > 0 && left < options2.timeLimit;
    const limit = isShort ? left / 1e3 : limitOf(options2);
    const context = new RequestContext(now + limit);
    try {
      const request = new ReadRequest(signature, tensors);
      const results = within(context, callAll, this.#hosted, request, calleesFor(context, index));
      if (results instanceof Promise) {
        this.#open.set(index, context);
        const timer = isShort
          ? setTimeout(() => this.#end(index, late), limit)
          : setTimeout(() => this.#end(index, overdueText(options2), placeText(options2)), limit);
        void this.#wait(index, context, request, results).finally(() => clearTimeout(timer));
        return;
      }
      context.answered();
      this.#answers.answer(index, writeAnswer(signature, request, results));
    } catch (error) {
      context.answered();
      this.#send(index, error);
    }
  }
  async #wait(index, context, request, results) {
    try {
      const all = await results;
      if (context.why !== void 0) return;
      context.answered();
      this.#answers.answer(index, writeAnswer(this.#hosted.signature, request, all));
      this.#open.delete(index);
    } catch (error) {
      this.#fail(index, error);
    }
  }
  /** The calls and fetches that it is waiting for fail first, because their errors contain the author's line. */
  #end(index, why, place = "") {
    this.#open.get(index)?.abort(why);
    setImmediate(() => this.#fail(index, new PlacedFailure(why + place)));
  }
  /** Does nothing if the request has been answered. */
  #fail(index, error) {
    this.#open.get(index)?.answered();
    if (this.#open.delete(index)) this.#send(index, error);
  }
  #send(index, error) {
    const { tell: tell2, options: options2 } = this.#hosted;
    const isPlaced = error instanceof InvalidRequest || error instanceof PlacedFailure;
    const isResult = error instanceof InvalidResult;
    const text = isPlaced ? error.message : isResult ? error.message + placeText(options2) : tell2(error);
    this.#answers.fail(index, error instanceof InvalidRequest ? 0 : 1, text);
  }
};
var late = "the request ran out of time";
var shownInput = (name) => `input ${name}`;
var callAll = (hosted, request, callees) => {
  const made = [];
  let isAsync = false;
  for (let call = 0; call < request.calls; call++) {
    let result;
    try {
      result = hosted.run(parseTensors(hosted.jsonInputs, request.inputs(call), shownInput), callees);
      if (!isPromise(result)) result = checked(hosted, request, call, result);
    } catch (error) {
      if (!isAsync) throw failureOf(hosted, request, call, error);
      result = Promise.reject(error);
    }
    if (isPromise(result)) {
      isAsync = true;
      const settling = Promise.resolve(result)
        .then((value) => checked(hosted, request, call, value))
        .catch((error) => {
          throw failureOf(hosted, request, call, error);
        });
      settling.catch(() => void 0);
      made.push(settling);
    } else made.push(result);
  }
  return isAsync ? inOrder(made) : made;
};
var checked = ({ signature, jsonOutputs }, request, call, value) =>
  printTensors(
    jsonOutputs,
    declaredResult(signature, value, request, call),
    (name) => `${request.prefix(call)}output ${name}`,
  );
var PlacedFailure = class extends Error {};
var failureOf = ({ tell: tell2 }, request, call, error) =>
  error instanceof InvalidResult ? error : new PlacedFailure(`${request.prefix(call)}${tell2(error)}`);
var inOrder = async (made) => {
  const results = [];
  for (const one of made) results.push(await one);
  return results;
};

var limitFetch = () => {
  const unlimited = globalThis.fetch;
  globalThis.fetch = placed("fetch", async (...[to, given]) => {
    const signal = currentRequest()?.signal;
    const [input2, init] = given instanceof Request ? [new Request(to, given)] : [to, given];
    const own = init?.signal ?? (input2 instanceof Request ? input2.signal : void 0);
    const both = signal === void 0 || own == null ? signal : AbortSignal.any([own, signal]);
    const response = await unlimited(input2, both === void 0 ? init : { ...init, signal: both });
    placeReaders(Object.getPrototypeOf(response));
    return response;
  });
};
var readers = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"];
var arePlaced = false;
var placeReaders = (prototype) => {
  if (arePlaced) return;
  arePlaced = true;
  const methods = prototype;
  for (const name of readers) {
    const read = methods[name];
    if (read !== void 0) methods[name] = placed(`response.${name}()`, read);
  }
};
var placed = (name, work) =>
  async function called(...args) {
    const place = callSite(called);
    try {
      return await work.apply(this, args);
    } catch (error) {
      const request = currentRequest();
      if (request?.isAborted === true) throw place(new Error(`${name}: ${request.why}`));
      throw error instanceof Error && !hasOuterFrame(String(error.stack)) ? place(error) : error;
    }
  };

var [input = 3, output = 4, quiet] = process.argv.slice(2).map(Number);
var folder = import.meta.dirname;
var options = JSON.parse(readFileSync(new URL("function.json", import.meta.url), "utf8"));
var report = (error) => {
  const all = inspect2(error);
  const short = withoutInnerFrames(all);
  process.stderr.write(`${/\n +at /.test(short) ? short : all}
`);
};
var tell = (error) => {
  if (error instanceof Error && (error.cause !== void 0 || error instanceof AggregateError)) report(error);
  return tellError(error, folder, placeText(options));
};
var quietBytes = 2 ** 14;
var write = (pipe, frame2) => {
  for (let at = 0; at < frame2.byteLength; ) at += writeSync(pipe, frame2, at);
};
var post = (kind, id, index, body = []) => write(output, printFrame(kind, id, index, body));
var writer = new FrameWriter();
var encoder2 = new TextEncoder();
var guard = () => {
  const refuse = (name) => () => {
    throw new Error(`${name}() was called, which would end the model`);
  };
  process.exit = refuse("process.exit");
  process.abort = refuse("process.abort");
  Object.assign(process, { reallyExit: refuse("process.reallyExit") });
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
};
var end = () => void process.kill(process.pid, "SIGKILL");
var executions = /* @__PURE__ */ new Map();
var FrameAnswers = class {
  #id;
  #waiting;
  #room = quiet === void 0 ? 0 : quietBytes;
  constructor({ id, index: count }) {
    this.#id = id;
    this.#waiting = count;
  }
  answer(request, outputs) {
    this.#settle(writer.print(frameKinds.answer, this.#id, request, outputs));
  }
  fail(request, code, text) {
    this.#settle(printFrame(frameKinds.failure, this.#id, request, printFailure(code, text)));
  }
  begun(request) {
    post(frameKinds.begun, this.#id, request);
  }
  #settle(printed) {
    const isQuiet = --this.#waiting > 0 && printed.byteLength <= this.#room;
    if (isQuiet) this.#room -= printed.byteLength;
    if (this.#waiting === 0) executions.delete(this.#id);
    write(isQuiet && quiet !== void 0 ? quiet : output, printed);
  }
};
var serve = (run, readers2) => {
  const calls = openCalls(options.calls ?? {}, {
    call: (id, callee, integers, inputs) =>
      write(output, writer.print(frameKinds.call, id, callee, inputs, integers)),
    cancel: (id) => post(frameKinds.cancel, id, 0),
  });
  const hosted = hostedRun({ run, options, tell, calleesFor: calls.calleesFor }, readers2);
  const isLent = (kind) => kind === frameKinds.execute && options.per === "row";
  const read = frameReader((frame2) => {
    if (frame2.kind === frameKinds.execute) {
      const execution = new Execution(hosted, new FrameAnswers(frame2));
      executions.set(frame2.id, execution);
      execution.run(readRequests(frame2));
    } else if (frame2.kind === frameKinds.cancel) executions.get(frame2.id)?.cancel(frame2.index);
    else if (frame2.kind !== frameKinds.wake) calls.settle(frame2);
  }, isLent);
  const chunk = Buffer.allocUnsafeSlow(2 ** 16);
  const callback = (size) => {
    read(chunk.subarray(0, size));
    return true;
  };
  const pipe = {
    fd: input,
    readable: true,
    writable: false,
    onread: { buffer: chunk, callback },
  };
  const socket = new Socket(pipe);
  for (const event of ["end", "close", "error"]) socket.on(event, end);
  socket.resume();
};
try {
  guard();
  limitFetch();
  const { run } = await import(new URL("run.mjs", import.meta.url).href);
  const inputs = new URL("inputs.mjs", import.meta.url);
  const readers2 = existsSync(inputs) ? (await import(inputs.href)).default : void 0;
  serve(run, readers2);
  post(frameKinds.ready, 0, 0);
} catch (error) {
  post(frameKinds.refused, 0, 0, [encoder2.encode(tell(error))]);
  end();
}
