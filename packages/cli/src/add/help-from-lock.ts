import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@tritype/core";
import { lockName, readLock } from "./models-lock.ts";

const missingFile: ReadonlySet<string> = new Set([
  "onnx/file-not-found",
  "onnx/external-data-not-found",
  "tokenizer/file-not-found",
]);

/** Says of files that are missing, and that `pipeline add` can bring, that it can. */
export const helpFromLock = (root: string, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  if (!diagnostics.some(({ code }) => missingFile.has(code)) || !existsSync(join(root, lockName)))
    return diagnostics;
  const missing = Object.values(readLock(root))
    .flatMap(({ files }) => Object.keys(files))
    .filter((path) => !existsSync(join(root, path)));
  return diagnostics.map((diagnostic) =>
    missingFile.has(diagnostic.code) && missing.some((path) => diagnostic.message.includes(path))
      ? { ...diagnostic, help: `run \`pipeline add\`, which brings what ${lockName} lists` }
      : diagnostic,
  );
};
