import { sizeOf, type Splice, spliceModel } from "@tritype/onnx";
import type { CompilerHost, HostFile } from "../compiler-host.ts";

/** Protocol buffers, and therefore ONNX Runtime, cannot read larger files. */
const largest = 2 ** 31 - 1;
const piece = 2 ** 22;

/**
 * A model file with added tensor math, whose weights are copied from the original in pieces, or a clause that says why
 * this is impossible.
 */
export const fusedFile = (file: HostFile, splice: Splice, host: CompilerHost): HostFile | string => {
  const readAt = (offset: number, length: number): Uint8Array | undefined => file.readAt(offset, length);
  const parts = spliceModel(file.size, readAt, splice);
  if (parts === undefined) return "the model's file has its graph in several parts";
  const size = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  if (size > largest) return "the model's file would have more than 2 GiB";
  const pieces = function* (from: number, to: number): Generator<Uint8Array> {
    let start = 0;
    for (const part of parts) {
      const end = start + sizeOf(part);
      for (let at = Math.max(start, from); at < Math.min(end, to); at += piece) {
        const range = [at - start, Math.min(at + piece, end, to) - start] as const;
        yield part instanceof Uint8Array
          ? part.subarray(...range)
          : (readAt(part.start + range[0], range[1] - range[0]) ?? new Uint8Array());
      }
      start = end;
    }
  };
  const read = (from: number, to: number): Uint8Array => {
    const bytes = new Uint8Array(to - from);
    let at = 0;
    for (const one of pieces(from, to)) {
      bytes.set(one, at);
      at += one.length;
    }
    return bytes.subarray(0, at);
  };
  const key = parts.map((part) => (part instanceof Uint8Array ? host.sha256(part) : part));
  return {
    place: undefined,
    size,
    get bytes() {
      return read(0, size);
    },
    readAt: (offset, length) => read(offset, Math.min(size, offset + length)),
    sha256: () =>
      host.hashPieces?.(JSON.stringify([file.sha256(), key]), () => pieces(0, size)) ??
      host.sha256(read(0, size)),
  };
};
