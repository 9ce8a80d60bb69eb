import { runtimeError } from "../errors.ts";

/**
 * The framing between the runtime and a Python child: a 32-byte little-endian header (magic, type, flags, id, length of
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
  // runtime → child
  initialize: 1,
  execute: 2,
  blsResult: 3,
  cancel: 4,
  finalize: 5,
  autoComplete: 6,
  callResult: 7,
  ping: 8,
  acknowledge: 9,
  // child → runtime
  ready: 65,
  fail: 66,
  done: 67,
  response: 68,
  bls: 69,
  log: 70,
  call: 71,
  autoCompleteResult: 72,
  pong: 73,
  hello: 74,
} as const;

export const protocolVersion = 1;
/** Tensors in a body are aligned to multiples of this, so that any typed array can refer to them. */
export const bodyAlignment = 64;

const magic = 0x31425054; // "TPB1"
const headerBytes = 32;
const metaLimit = 16 * 1024 * 1024;

/** Header and meta of a frame, in one buffer; the body follows it on the wire. */
export const printFrameHead = (type: number, id: number, meta: Uint8Array, bodyLength: number): Buffer => {
  const head = Buffer.alloc(headerBytes + meta.byteLength);
  head.writeUInt32LE(magic, 0);
  head.writeUInt16LE(type, 4);
  head.writeBigUInt64LE(BigInt(id), 8);
  head.writeBigUInt64LE(BigInt(meta.byteLength), 16);
  head.writeBigUInt64LE(BigInt(bodyLength), 24);
  head.set(meta, headerBytes);
  return head;
};

/**
 * Assembles frames without copying: bytes are received directly into `space()`, and `received(n)` is called with their
 * number. Each body has its own, unpooled memory.
 */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  readonly #header = Buffer.alloc(headerBytes);
  #meta: Buffer | undefined;
  #body: Buffer | undefined;
  #target: Buffer = this.#header;
  #filled = 0;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** Memory for the next bytes; never empty. */
  space(): Buffer {
    return this.#target.subarray(this.#filled);
  }

  /** @throws PipelineError `model/failed` if the bytes are not a frame. */
  received(count: number): void {
    this.#filled += count;
    while (this.#filled === this.#target.byteLength) this.#next();
  }

  #next(): void {
    this.#filled = 0;
    if (this.#meta === undefined || this.#body === undefined) {
      const header = this.#header;
      const [metaBytes, bodyBytes] = [header.readBigUInt64LE(16), header.readBigUInt64LE(24)];
      if (header.readUInt32LE(0) !== magic || metaBytes > metaLimit || bodyBytes > Number.MAX_SAFE_INTEGER)
        throw runtimeError("python/broken-answer", { problem: "sent bytes that are not a frame" });
      this.#meta = Buffer.allocUnsafeSlow(Number(metaBytes));
      this.#body = Buffer.allocUnsafeSlow(Number(bodyBytes));
      this.#target = this.#meta;
    } else if (this.#target === this.#meta) {
      this.#target = this.#body;
    } else {
      const frame = {
        type: this.#header.readUInt16LE(4),
        id: Number(this.#header.readBigUInt64LE(8)),
        meta: this.#meta,
        body: this.#body,
      };
      this.#meta = this.#body = undefined;
      this.#target = this.#header;
      this.#onFrame(frame);
    }
  }
}
