import type { CompilerHost, HostFile } from "./compiler-host.ts";

/** A project file that may not fit into memory; undefined if it does not exist. */
export const openFile = (host: CompilerHost, path: string): HostFile | undefined => {
  if (host.openFile !== undefined) return host.openFile(path);
  const bytes = host.readFile(path);
  return bytes === undefined
    ? undefined
    : {
        place: undefined,
        size: bytes.byteLength,
        bytes,
        readAt: (offset, length) => bytes.subarray(offset, offset + length),
        sha256: () => host.sha256(bytes),
      };
};
