import { readModelOutline } from "@tritype/onnx";
import type { CompilerHost } from "../compiler-host.ts";
import { openFile } from "../open-file.ts";

/** Files larger than this many bytes are read without the values of their tensors. */
const largeFile = 2 ** 20;

/** The part of an ONNX file with its signature and the sizes of its tables; undefined if the file does not exist. */
export const onnxBytes = (host: CompilerHost, path: string): Uint8Array | undefined => {
  const file = openFile(host, path);
  if (file === undefined || file.size <= largeFile) return host.readFile(path);
  return readModelOutline(file.size, (offset, length) => file.readAt(offset, length)) ?? file.bytes;
};
