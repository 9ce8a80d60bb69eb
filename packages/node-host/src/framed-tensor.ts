import { type DType, elementCount, elementSize, tryDecodeUtf8, typedArrays } from "@tritype/core";
import { type Elements, type Given, refuseText, widened } from "./function-values.ts";

/** A tensor in the memory of a frame. */
export class FramedTensor implements Given {
  readonly shape: readonly number[];
  readonly bytes: Buffer<ArrayBuffer>;
  /** The position of its data in these bytes. */
  readonly at: number;
  readonly length: number;

  constructor(shape: readonly number[], bytes: Buffer<ArrayBuffer>, at: number, length: number) {
    this.shape = shape;
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  elements(name: string, dtype: DType): Elements {
    const { bytes, at } = this;
    if (dtype !== "BYTES") {
      const count = this.length / elementSize(dtype);
      return widened(dtype, new typedArrays[dtype](bytes.buffer, bytes.byteOffset + at, count));
    }
    const texts: string[] = [];
    for (let start = at + 4; start <= at + this.length; ) {
      const end = start + bytes.readUInt32LE(start - 4);
      const text = quickText(bytes, start, end) ?? tryDecodeUtf8(bytes.subarray(start, end));
      texts.push(text ?? refuseText(name, this.shape, elementCount(this.shape), texts.length));
      start = end + 4;
    }
    return texts;
  }
}

/**
 * Undefined for a string that needs a closer check: Node replaces invalid UTF-8 with U+FFFD, which a string
 * may also contain.
 */
const quickText = (bytes: Buffer, start: number, end: number): string | undefined => {
  if (end - start > 2 ** 28) return undefined;
  const text = bytes.toString("utf8", start, end);
  return text.includes("\uFFFD") ? undefined : text;
};
