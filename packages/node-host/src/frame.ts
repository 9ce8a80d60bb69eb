import {
  byteLength,
  type DType,
  elementCount,
  elementSize,
  invariant,
  type NamedTensors,
  type TensorData,
  typedArrays,
} from "@tritype/core";
import { FramedTensor } from "./framed-tensor.ts";
import { type Output, setElements } from "./function-values.ts";

/**
 * The frames between a model and its Node process. Integers are little-endian; frames, tensors and their data start at
 * multiples of 8 bytes, so that typed arrays can be views of the received bytes. A frame is a header and a body:
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
} as const;

/**
 * The reason why a call failed: the callee refused it or failed, or its answer does not have the declared dtypes, which
 * frames do not contain.
 */
export const callFailures = { failed: 0, answer: 1 } as const;

/** The largest integer in a frame. */
export const largestWord: number = 2 ** 32 - 1;

/** The id after this one. A process may live long enough to use all of them. */
export const nextId = (id: number): number => (id === largestWord ? 0 : id + 1);

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly index: number;
  readonly body: Buffer<ArrayBuffer>;
}

const headerSize = 16;

/** The maximum size of a body in bytes. */
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

/** A frame as bytes. @throws RangeError for a body of 4 GiB or more. */
export const printFrame = (
  kind: number,
  id: number,
  index: number,
  body: readonly Part[] = [],
): Uint8Array => {
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

const requireSize = (size: number): void => {
  if (size > largestBody)
    throw new RangeError(`a frame can contain up to 4 GiB, but this one has ${size} bytes`);
};

/** Writes frames of outputs, one after another, into the same memory. */
export class FrameWriter {
  #bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(usualSize);
  #words: Uint32Array = new Uint32Array(this.#bytes.buffer);
  #at = 0;

  /**
   * A frame with an even number of integers, and tensors by their numbers. It is valid until the next one is written.
   * @throws RangeError for a body of 4 GiB or more.
   */
  print(
    kind: number,
    id: number,
    index: number,
    outputs: readonly (Output | undefined)[],
    integers: readonly number[] = [],
  ): Uint8Array {
    this.#at = headerSize;
    for (const integer of integers) this.#put(integer);
    const place = this.#at / 4;
    let count = 0;
    this.#at += 8;
    for (let which = 0; which < outputs.length; which++) {
      const output = outputs[which];
      if (output === undefined) continue;
      count++;
      this.#tensor(which, output);
    }
    const [words, bytes, end] = [this.#words, this.#bytes, this.#at];
    words[place] = count;
    words[place + 1] = 0;
    this.#at = 0;
    for (const word of [end - headerSize, kind, id, index]) this.#put(word);
    if (bytes.byteLength > largestKept) this.#hold(Buffer.allocUnsafeSlow(usualSize));
    return bytes.subarray(0, end);
  }

  #put(word: number): void {
    this.#words[this.#at / 4] = word;
    this.#at += 4;
  }

  #tensor(which: number, { dtype, shape, parts }: Output): void {
    const head = this.#at;
    const start = head + padded(16 + 4 * shape.length);
    const length = dtype === "BYTES" ? 0 : byteLength(dtype, shape);
    this.#reserve(start + length + 8);
    if (dtype === "BYTES") this.#strings(start, parts as readonly (readonly string[])[]);
    else {
      setElements(new typedArrays[dtype](this.#bytes.buffer, start, length / elementSize(dtype)), parts);
      this.#at = start + length;
    }
    const end = this.#at;
    this.#at = head;
    for (const word of [which, shape.length, end - start, 0]) this.#put(word);
    for (const size of shape) this.#put(size);
    if (shape.length % 2 === 1) this.#put(0);
    this.#at = padded(end);
    for (let at = end; at < this.#at; at++) this.#bytes[at] = 0;
  }

  /** Each text is preceded by its length. */
  #strings(start: number, parts: readonly (readonly string[])[]): void {
    this.#at = start;
    for (const part of parts)
      for (const text of part) {
        // A UTF-16 unit takes up to three bytes; the exact size is only computed for long strings.
        const most = text.length < 1000 ? 3 * text.length : Buffer.byteLength(text);
        this.#reserve(this.#at + most + 16);
        const length = this.#bytes.write(text, this.#at + 4);
        this.#bytes.writeUInt32LE(length, this.#at);
        this.#at += 4 + length;
      }
  }

  /** Makes room up to this position. */
  #reserve(end: number): void {
    if (end <= this.#bytes.byteLength) return;
    requireSize(end - headerSize - 16);
    const larger = Buffer.allocUnsafeSlow(padded(Math.max(end, Math.min(2 * end, largestBody))));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#hold(larger);
  }

  #hold(bytes: Buffer<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#words = new Uint32Array(bytes.buffer);
  }
}

/** The size of the memory for frames in bytes; larger frames get more memory, which is kept up to a limit. */
const usualSize = 2 ** 16;
const largestKept = 2 ** 22;

const zeros = new Uint8Array(8);

/** Tensors as the body of a frame; `names` determines the number of each tensor. */
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

/** Like `packByteStrings`, but small results share memory. */
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

/**
 * The body of an execution: each request's tensors, and the number of microseconds that it may still take (0: no
 * limit).
 */
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

/** The part of a tensor's declaration that a frame does not contain. */
export interface Declared {
  readonly name: string;
  readonly dtype: DType;
}

/** The integers of a body, which starts at a multiple of 8 bytes. */
const wordsOf = ({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength >>> 2);

/** The tensors of a body from a position on, by their numbers. */
const framedTensors = (
  bytes: Buffer<ArrayBuffer>,
  words: Uint32Array,
  from: number,
): (FramedTensor | undefined)[] => {
  const tensors: (FramedTensor | undefined)[] = [];
  let at = from + 8;
  for (let count = words[from / 4] ?? 0; count > 0; count--) {
    const first = at / 4;
    const [which = 0, rank = 0, length = 0] = [words[first], words[first + 1], words[first + 2]];
    const shape: number[] = [];
    for (let axis = 0; axis < rank; axis++) shape.push(words[first + 4 + axis] ?? 0);
    at += padded(16 + 4 * rank);
    invariant(at + length <= bytes.byteLength, "a frame is corrupt");
    while (tensors.length < which) tensors.push(undefined);
    tensors[which] = new FramedTensor(shape, bytes, at, length);
    at += padded(length);
  }
  return tensors;
};

/** The tensors of a body from a position on; their elements are views of it. */
export const readTensors = (
  body: Buffer<ArrayBuffer>,
  declared: readonly Declared[],
  from = 0,
): NamedTensors => namedTensors(framedTensors(body, wordsOf(body), from), declared);

/** Tensors by name. */
export const namedTensors = (
  tensors: readonly (FramedTensor | undefined)[],
  declared: readonly Declared[],
): NamedTensors =>
  new Map(
    tensors.flatMap((tensor, which) => {
      if (tensor === undefined) return [];
      const type = declared[which];
      invariant(type !== undefined, "a frame is corrupt");
      return [[type.name, tensorIn(tensor, type.dtype)]];
    }),
  );

const tensorIn = ({ shape, bytes, at, length }: FramedTensor, dtype: DType): TensorData => {
  const data = bytes.subarray(at, at + length);
  return dtype === "BYTES"
    ? { dtype, shape, data: readStrings(data, elementCount(shape)) }
    : { dtype, shape, data: new Uint8Array(data.buffer, data.byteOffset, length) };
};

const readStrings = (packed: Buffer<ArrayBuffer>, count: number): readonly Uint8Array[] => {
  let at = 0;
  return Array.from({ length: count }, () => {
    const length = packed.readUInt32LE(at);
    at += 4 + length;
    return new Uint8Array(packed.buffer, packed.byteOffset + at - length, length);
  });
};

/** One request of an execution. */
export interface FrameRequest {
  /** The tensors, by their numbers. */
  readonly tensors: readonly (FramedTensor | undefined)[];
  /** The number of microseconds that it may still take; 0 for no limit. */
  readonly left: number;
}

/** The requests of an execution. */
export const readRequests = ({ body, index: count }: Frame): readonly FrameRequest[] => {
  const words = wordsOf(body);
  const requests: FrameRequest[] = [];
  for (let at = 0; requests.length < count; at += 8 + (words[at / 4] ?? 0))
    requests.push({ tensors: framedTensors(body, words, at + 8), left: words[at / 4 + 1] ?? 0 });
  return requests;
};

/** The tensors of a body that contains nothing else, by their numbers. */
export const readResult = ({ body }: Frame): readonly (FramedTensor | undefined)[] =>
  framedTensors(body, wordsOf(body), 0);

/** A call to another model. */
export interface FrameCall {
  readonly inputs: NamedTensors;
  /** The number of microseconds that it may take; 0 for no limit. */
  readonly left: number;
  /** The request of the execution that it belongs to. */
  readonly request: number;
}

export const readCallFrame = (body: Buffer<ArrayBuffer>, declared: readonly Declared[]): FrameCall => ({
  left: body.readUInt32LE(0),
  request: body.readUInt32LE(4),
  inputs: readTensors(body, declared, 8),
});

/** The code and the message of a failure. */
export const readFailure = (body: Buffer): { readonly code: number; readonly text: string } => ({
  code: body.readUInt32LE(0),
  text: readText(body.subarray(8)),
});

export const readText = (body: Uint8Array): string => new TextDecoder().decode(body);

/**
 * Assembles frames from bytes that arrive in pieces of any size.
 * @param isLent Whether the bodies of a kind of frame are only used until `onFrame` returns. They are then not copied, if possible.
 */
export const frameReader = (
  onFrame: (frame: Frame) => void,
  isLent: (kind: number) => boolean = () => false,
): ((chunk: Buffer<ArrayBuffer>) => void) => {
  const header = new Uint32Array(headerSize / 4);
  const headerBytes = Buffer.from(header.buffer);
  let body: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  return (chunk) => {
    let at = 0;
    const take = (target: Buffer): boolean => {
      const size = chunk.copy(target, filled, at);
      at += size;
      filled += size;
      return filled === target.byteLength;
    };
    for (;;) {
      if (body === undefined) {
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
      const frame = { kind: header[1] ?? 0, id: header[2] ?? 0, index: header[3] ?? 0, body };
      body = undefined;
      filled = 0;
      onFrame(frame);
    }
  };
};
