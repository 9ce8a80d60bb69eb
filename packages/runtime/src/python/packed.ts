import { runtimeError } from "../errors.ts";

/** Writes meta: fixed-width little-endian numbers, and strings as u32 length + UTF-8. */
export class Packer {
  #bytes: Buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#bytes.writeUInt8(value, at);
    return this;
  }
  u32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeUInt32LE(value, at);
    return this;
  }
  u64(value: number | bigint): this {
    const at = this.#reserve(8);
    if (typeof value === "bigint") this.#bytes.writeBigUInt64LE(value, at);
    else writeInteger(this.#bytes, at, value);
    return this;
  }
  f64(value: number): this {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
    return this;
  }
  text(value: string): this {
    const at = this.#reserve(4 + 3 * value.length); // the most that UTF-8 needs
    const length = this.#bytes.write(value, at + 4);
    this.#bytes.writeUInt32LE(length, at);
    this.#length = at + 4 + length;
    return this;
  }
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.byteLength) {
      const larger = Buffer.allocUnsafe(2 * this.#length);
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}

/** Reads data written by a Packer of the child. A read past the end throws a RangeError. */
export class Unpacker {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }
  u32(): number {
    return this.#bytes.readUInt32LE(this.#advance(4));
  }
  /** @throws PipelineError `model/failed` above 2^53. */
  u64(): number {
    const value = readInteger(this.#bytes, this.#advance(8));
    if (Number.isSafeInteger(value)) return value;
    throw runtimeError("python/broken-answer", {
      problem: `sent the number ${value}, which is out of range`,
    });
  }
  /** A signed integer of any size. */
  exact(): bigint {
    return this.#bytes.readBigInt64LE(this.#advance(8));
  }
  f64(): number {
    return this.#bytes.readDoubleLE(this.#advance(8));
  }
  text(): string {
    return this.data().toString("utf8");
  }
  /** Returns bytes in the frame's own memory. */
  data(): Buffer {
    const length = this.u32();
    const at = this.#advance(length);
    return this.#bytes.subarray(at, at + length);
  }

  #advance(count: number): number {
    const at = this.#offset;
    this.#offset += count;
    if (this.#offset > this.#bytes.byteLength)
      throw new RangeError("A frame of the Python process ends too early");
    return at;
  }
}

/** Reads an unsigned 64-bit integer, without a BigInt, which takes more than twice as long. Imprecise above 2^53. */
export const readInteger = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);

export const writeInteger = (bytes: Buffer, at: number, value: number): void => {
  bytes.writeUInt32LE(value % 2 ** 32, at);
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
};
