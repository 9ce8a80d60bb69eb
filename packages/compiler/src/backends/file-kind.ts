import { tryDecodeUtf8 } from "@tritype/core";

/** The actual kind of an unexpected file, and the fix; undefined for unknown bytes. */
export interface StrangeFile {
  readonly problem: string;
  readonly help?: string;
}

const starts = (bytes: Uint8Array, ...head: readonly number[]): boolean =>
  head.every((byte, index) => bytes[index] === byte);

/** Whether a file is a zip archive, according to its first bytes. */
export const isZip = (bytes: Uint8Array): boolean => starts(bytes, 0x50, 0x4b, 0x03, 0x04);

/** Kinds of files that are saved in place of a model or confused with a model. */
export const strangeFile = (bytes: Uint8Array): StrangeFile | undefined => {
  if (bytes.length === 0) return { problem: "it is empty" };
  const text = (tryDecodeUtf8(bytes.subarray(0, 60)) ?? "").trimStart();
  if (text.startsWith("version https://git-lfs"))
    return { problem: "it is a Git LFS pointer", help: "run `git lfs pull`" };
  if (/^<(!doctype|html)/i.test(text))
    return { problem: "it is an HTML page", help: "download the file itself" };
  return undefined;
};

/** Whether the file begins like every ONNX file: `ir_version`, then the producer's name or the opset. */
export const looksLikeOnnx = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x08 &&
  (bytes[1] ?? 0) < 0x20 &&
  (bytes[2] === 0x12 || bytes[2] === 0x3a || bytes[2] === 0x42);
