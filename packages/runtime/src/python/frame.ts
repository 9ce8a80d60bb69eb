import { runtimeError } from "../errors.ts";
import { readInteger, writeInteger } from "./packed.ts";

/**
 * The framing between the runtime and a Python child, on both of their connections: a 32-byte little-endian header (magic, type, flags, id, length of
 * meta, length of body), meta (packed fields), body (tensor bytes at multiples of 64). `python/tritype_child/frames.py`
 * is the counterpart.
 */
export interface Frame {
  readonly type: number;
  readonly id: number;
  readonly meta: Buffer;
  readonly body: Buffer;
}

export const frameType = {
  // runtime → child, commands
  initialize: 1,
  autoComplete: 2,
  execute: 3,
  finalize: 4,
  // runtime → child, over the second connection
  blsResult: 33,
  callResult: 34,
  cancel: 35,
  acknowledge: 36,
  // child → runtime
  ready: 65,
  fail: 66,
  done: 67,
  response: 68,
  bls: 69,
  log: 70,
  call: 71,
  autoCompleteResult: 72,
  hello: 73,
} as const;

export const protocolVersion = 2;
/** Tensors in a body are aligned to multiples of this, so that any typed array can refer to them. */
const bodyAlignment = 64;

const magic = 0x31425054; // "TPB1"
const headerBytes = 32;
const metaLimit = 16 * 1024 * 1024;
const bufferBytes = 64 * 1024;
/** A body up to this size is copied, because a second buffer costs more. */
const smallBody = 16 * 1024;
const padding = Buffer.alloc(bodyAlignment);

/** The parts of a frame's body; large ones are sent without a copy. */
export class Body {
  readonly parts: Uint8Array[] = [];
  length = 0;

  /** Appends at the next aligned offset, and returns the offset. */
  add(data: Uint8Array): number {
    const gap = aligned(this.length) - this.length;
    if (gap > 0) this.parts.push(padding.subarray(0, gap));
    const offset = this.length + gap;
    if (data.byteLength > 0) this.parts.push(data);
    this.length = offset + data.byteLength;
    return offset;
  }
}

const aligned = (length: number): number => Math.ceil(length / bodyAlignment) * bodyAlignment;

/** The bytes of a frame: one buffer if its body is small. */
export const printFrame = (type: number, id: number, meta: Uint8Array, body: Body): readonly Uint8Array[] => {
  const head = Buffer.alloc(headerBytes);
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(type, 4);
  writeInteger(head, 8, id);
  writeInteger(head, 16, meta.byteLength);
  writeInteger(head, 24, body.length);
  const parts = [head, meta, ...body.parts];
  return body.length > smallBody ? parts : [Buffer.concat(parts)];
};

/**
 * Assembles frames: bytes are received into `space()`, and `received(n)` is called with their number. Frames are copied
 * out of a buffer, so that a small one takes a single read; the rest of an incomplete frame is received directly into
 * its own, unpooled memory.
 */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #incomplete: Frame | undefined;
  /** Where the bytes go that are missing: those of the incomplete frame, or those of a header. */
  #space: Buffer = this.#buffer;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** Memory for the next bytes; never empty. */
  space(): Buffer {
    return this.#space;
  }

  /** @throws PipelineError `model/failed` if the bytes are not a frame. */
  received(count: number): void {
    const frame = this.#incomplete;
    this.#space = this.#space.subarray(count);
    if (frame === undefined) {
      this.#takeFrames(this.#buffer.byteLength - this.#space.byteLength);
    } else if (this.#space.byteLength === 0) {
      this.#incomplete = undefined;
      this.#space = this.#buffer;
      this.#onFrame(frame);
    }
  }

  /** Reads the frames in the first `filled` bytes of the buffer. */
  #takeFrames(filled: number): void {
    let at = 0;
    while (filled - at >= headerBytes) {
      const { frame, memory } = allocate(this.#buffer, at);
      at += headerBytes;
      const copied = this.#buffer.copy(memory, 0, at, filled);
      at += copied;
      if (copied < memory.byteLength) {
        this.#incomplete = frame;
        this.#space = memory.subarray(copied);
        return;
      }
      this.#onFrame(frame);
    }
    this.#space = this.#buffer.subarray(this.#buffer.copy(this.#buffer, 0, at, filled));
  }
}

/** The frame whose header is at an offset, and the memory in which its meta and body follow each other. */
const allocate = (bytes: Buffer, at: number): { readonly frame: Frame; readonly memory: Buffer } => {
  const [metaBytes, bodyBytes] = [readInteger(bytes, at + 16), readInteger(bytes, at + 24)];
  if (bytes.readUInt32LE(at) !== magic || metaBytes > metaLimit || bodyBytes > Number.MAX_SAFE_INTEGER)
    throw runtimeError("python/broken-answer", { problem: "sent bytes that are not a frame" });
  const bodyStart = aligned(metaBytes);
  const all = Buffer.allocUnsafeSlow(bodyStart + bodyBytes);
  const memory = all.subarray(bodyStart - metaBytes);
  const [type, id] = [bytes.readUInt16LE(at + 4), readInteger(bytes, at + 8)];
  return { frame: { type, id, meta: memory.subarray(0, metaBytes), body: all.subarray(bodyStart) }, memory };
};
