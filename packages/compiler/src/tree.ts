import { encodeUtf8 } from "@tritype/core";
import type { CompilerHost } from "./compiler-host.ts";

/** A file to be written: its text, its bytes, or the file of the project to copy. */
export type TreeFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "copy"; readonly from: string; readonly bytes: Uint8Array };

/** Path with "/" → file. Paths are relative to the folder the tree is written to. */
export type Tree = ReadonlyMap<string, TreeFile>;

export const textFile = (text: string): TreeFile => ({ kind: "text", text });

/** What is written; text as UTF-8. */
export const fileBytes = (file: TreeFile): Uint8Array =>
  file.kind === "text" ? encodeUtf8(file.text) : file.bytes;

/** Lower-case hexadecimal SHA-256 of its content. */
export const hashFile = (file: TreeFile, host: CompilerHost): string => host.sha256(fileBytes(file));
