import { createHash } from "node:crypto";
import { invariant } from "@tritype/core";
import { recordOf } from "@tritype/dsl";
import { defaultRelease } from "@tritype/triton";
import { type Compilation, type CompileOptions, compile } from "./compile.ts";
import type { CompilerHost } from "./compiler-host.ts";

/** Files in memory. */
export const memoryHost = (files: Readonly<Record<string, Uint8Array>> = {}): CompilerHost => ({
  readFile: (path) => files[path],
  listFiles: (folder) => {
    const found = Object.keys(files).flatMap((path) =>
      path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [],
    );
    return found.length === 0 ? undefined : found.toSorted();
  },
  sha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
});

/** Compiles ensembles against files in memory. */
export const compileInMemory = (
  ensembles: readonly unknown[],
  files: Readonly<Record<string, Uint8Array>> = {},
  {
    release = defaultRelease,
    ...options
  }: Partial<
    Pick<CompileOptions, "append" | "profiles" | "release" | "siteOf" | "stepKinds" | "warmup">
  > = {},
): Compilation =>
  compile(
    ensembles.map((ensemble) => {
      const record = recordOf(ensemble);
      invariant(record !== undefined, "not an ensemble");
      return record;
    }),
    { host: memoryHost(files), siteOf: () => [], release, ...options },
  );

/** The content of one emitted file. */
export const emittedText = ({ build }: Compilation, path: string): string => {
  const file = build?.tree.get(path);
  invariant(file?.kind === "text", `${path} is not an emitted text`);
  return file.text;
};
