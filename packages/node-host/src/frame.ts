import { type DType, elementCount, invariant, type NamedTensors, type TensorData } from "@tritype/core";

/**
 * The frames between a model and its Node process. Integers are little-endian; frames, tensors and their data start at multiples of
 * 8 bytes, so that typed arrays are views of what arrived. A frame is a header and a body:
 *
 *     header   u32 length of the body, u32 kind, u32 id, u32 index
 *     tensors  u32 count, u32 0, then for each: u32 which, u32 rank, u32 length of the data, u32 0, u32 × rank sizes, data
 *     string   UTF-8
 */
export const frameKinds = {
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
} as const;

/** Why a call failed: the callee refused it or failed, or its answer is not of the declared dtypes, which frames do not contain. */
export const callFailures = { failed: 0, answer: 1 } as const;

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly index: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const headerSize = 16;

/** The largest body in bytes. */
const largestBody = 2 ** 32 - 8;

/** Rounds up to a multiple of 8. */
const padded = (size: number): number => Math.ceil(size / 8) * 8;

/** A part of a frame: bytes, or integers; padded with zeros to a multiple of 8 bytes. */
export type Part = Uint8Array | readonly number[];

const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce(
    (sum, part) => sum + (part instanceof Uint8Array ? part.byteLength : padded(part.length * 4)),
    0,
  );

/**
 * A frame as bytes.
 * @param spare Memory that is used if it is large enough.
 * @throws RangeError for a body of 4 GiB or more.
 */
export const printFrame = (
  kind: number,
  id: number,
  index: number,
  body: readonly Part[] = [],
  spare: Uint32Array<ArrayBuffer> = new Uint32Array(0),
): Uint8Array => {
  const size = sizeOf(body);
  if (size > largestBody) throw new RangeError(`a frame holds up to 4 GiB, but this one has ${size} bytes`);
  const end = headerSize + size;
  const words = end <= spare.byteLength ? spare : new Uint32Array(padded(end) / 4);
  const bytes = new Uint8Array(words.buffer);
  words.set([size, kind, id, index]);
  let at = headerSize;
  for (const part of body) {
    if (part instanceof Uint8Array) bytes.set(part, at);
    else words.set(part.length % 2 === 0 ? part : [...part, 0], at / 4);
    at += sizeOf([part]);
  }
  return bytes.subarray(0, end);
};

const zeros = new Uint8Array(8);

/** Tensors as the body of a frame; `names` gives each its number. */
export const printTensors = (tensors: NamedTensors, names: readonly string[]): readonly Part[] => {
  const parts: Part[] = [[tensors.size, 0]];
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

/** Like `packByteStrings`, but small ones share memory. */
const packStrings = (values: readonly Uint8Array[]): Uint8Array => {
  const packed = Buffer.allocUnsafe(values.reduce((sum, { byteLength }) => sum + 4 + byteLength, 0));
  let at = 0;
  for (const bytes of values) {
    packed.writeUInt32LE(bytes.byteLength, at);
    packed.set(bytes, at + 4);
    at += 4 + bytes.byteLength;
  }
  return packed;
};

/** The body of an execution: each request's tensors, and the microseconds that it may still take (0: no limit). */
export const printRequests = (
  requests: readonly { readonly inputs: NamedTensors; readonly left: number }[],
  names: readonly string[],
): readonly Part[] =>
  requests.flatMap(({ inputs, left }) => {
    const tensors = printTensors(inputs, names);
    return [[sizeOf(tensors), left], ...tensors];
  });

/** The body of a failure. */
export const printFailure = (code: number, text: string): readonly Part[] => [
  [code, 0],
  new TextEncoder().encode(text),
];

/** A tensor's declaration, as far as a frame does not contain it. */
export interface Declared {
  readonly name: string;
  readonly dtype: DType;
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Reads the integers of a body, which starts at a multiple of 8 bytes. */
const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength >>> 2);

/** The tensors of a body; their elements are views of it. */
export const readTensors = (body: Uint8Array<ArrayBuffer>, declared: readonly Declared[]): NamedTensors => {
  const words = wordsOf(body);
  const tensors = new Map<string, TensorData>();
  let at = 8;
  for (let count = words[0] ?? 0; count > 0; count--) {
    const first = at / 4;
    const [which = 0, rank = 0, length = 0] = [words[first], words[first + 1], words[first + 2]];
    const shape: number[] = [];
    for (let axis = 0; axis < rank; axis++) shape.push(words[first + 4 + axis] ?? 0);
    const start = at + padded(16 + 4 * rank);
    const data = body.subarray(start, start + length);
    const tensor = declared[which];
    invariant(tensor !== undefined && data.byteLength === length, "a frame is damaged");
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

const readStrings = (packed: Uint8Array<ArrayBuffer>, count: number): readonly Uint8Array[] => {
  const view = viewOf(packed);
  let at = 0;
  return Array.from({ length: count }, () => {
    const length = view.getUint32(at, true);
    at += 4 + length;
    return packed.subarray(at - length, at);
  });
};

/** One request of an execution. */
export interface FrameRequest {
  readonly inputs: NamedTensors;
  /** Microseconds that it may still take; 0 for no limit. */
  readonly left: number;
}

/** The requests of an execution. */
export const readRequests = (
  { body, index: count }: Frame,
  declared: readonly Declared[],
): readonly FrameRequest[] => {
  const view = viewOf(body);
  let at = 0;
  return Array.from({ length: count }, () => {
    const [length, left] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const inputs = readTensors(body.subarray(at + 8, at + 8 + length), declared);
    at += 8 + length;
    return { inputs, left };
  });
};

/** The body of a call, and its contents. */
export const printCall = (
  { inputs, left, request }: FrameCall,
  names: readonly string[],
): readonly Part[] => [[left, request], ...printTensors(inputs, names)];

/** A call of another model. */
export interface FrameCall {
  readonly inputs: NamedTensors;
  /** Microseconds that it may take; 0 for no limit. */
  readonly left: number;
  /** The request of the execution that it belongs to. */
  readonly request: number;
}

export const readCallFrame = (body: Uint8Array<ArrayBuffer>, declared: readonly Declared[]): FrameCall => {
  const view = viewOf(body);
  return {
    left: view.getUint32(0, true),
    request: view.getUint32(4, true),
    inputs: readTensors(body.subarray(8), declared),
  };
};

/** The code and the message of a failure. */
export const readFailure = (
  body: Uint8Array<ArrayBuffer>,
): { readonly code: number; readonly text: string } => ({
  code: viewOf(body).getUint32(0, true),
  text: readText(body.subarray(8)),
});

export const readText = (body: Uint8Array<ArrayBuffer>): string => new TextDecoder().decode(body);

/** Makes frames from the bytes that arrive, in pieces of any size. */
export const frameReader = (onFrame: (frame: Frame) => void): ((chunk: Uint8Array) => void) => {
  const header = new Uint8Array(headerSize);
  const view = viewOf(header);
  let body: Uint8Array<ArrayBuffer> | undefined;
  let filled = 0;
  return (chunk) => {
    let at = 0;
    const take = (target: Uint8Array): boolean => {
      const piece = chunk.subarray(at, at + target.byteLength - filled);
      target.set(piece, filled);
      at += piece.byteLength;
      filled += piece.byteLength;
      return filled === target.byteLength;
    };
    for (;;) {
      if (body === undefined) {
        if (!take(header)) return;
        body = new Uint8Array(view.getUint32(0, true));
        filled = 0;
      }
      if (!take(body)) return;
      const frame = {
        kind: view.getUint32(4, true),
        id: view.getUint32(8, true),
        index: view.getUint32(12, true),
        body,
      };
      body = undefined;
      filled = 0;
      onFrame(frame);
    }
  };
};
