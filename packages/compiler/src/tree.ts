import { encodeUtf8, remembered } from "@tritype/core";
import type { CompilerHost, HostFile } from "./compiler-host.ts";

/**
 * A file to be written: its text, its bytes, or the project file to copy, which may not fit into memory. `onlyRead`:
 * the server never writes to the file, so a hard link can temporarily replace a copy.
 */
export type TreeFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "copy"; readonly from: string; readonly bytes: Uint8Array }
  | { readonly kind: "large-copy"; readonly from: string; readonly file: HostFile; readonly onlyRead?: true };

/** Path with "/" → file. Paths are relative to the folder to which the tree is written. */
export type Tree = ReadonlyMap<string, TreeFile>;

export const textFile = (text: string): TreeFile => ({ kind: "text", text });

/** The written content; text as UTF-8. */
export const fileBytes = (file: TreeFile): Uint8Array => {
  if (file.kind === "text") return textBytes(file);
  return file.kind === "large-copy" ? file.file.bytes : file.bytes;
};

/** A text is hashed, checked and written, but encoded only once. */
const textBytes = remembered(({ text }: Extract<TreeFile, { kind: "text" }>) => encodeUtf8(text));

/** The number of bytes that are written. */
export const fileSize = (file: TreeFile): number =>
  file.kind === "large-copy" ? file.file.size : fileBytes(file).byteLength;

/** Lower-case hexadecimal SHA-256 of its content. */
export const hashFile = (file: TreeFile, host: Pick<CompilerHost, "sha256">): string =>
  file.kind === "large-copy" ? file.file.sha256() : host.sha256(fileBytes(file));
