import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { nearFileHelp } from "../files/near-file.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnose } from "../diagnostics.ts";
import type { Tree, TreeFile } from "../tree.ts";

/**
 * The fields that name files, each with the folder in the model's folder where Triton looks for the files; undefined
 * means every version's folder. `*` represents every element of a list or map.
 */
const fileFields: readonly (readonly [path: readonly string[], folder: string | undefined])[] = [
  [["output", "*", "label_filename"], ""],
  [["sequence_batching", "state", "*", "initial_state", "*", "data_file"], "initial_state/"],
  [["cc_model_filenames", "*"], undefined],
  [["model_operations", "op_library_filename", "*"], undefined],
];

interface ConfigFiles {
  /** The configuration with the file names used in the model's folder. */
  readonly config: ModelConfig;
  /** Paths relative to the model's folder. */
  readonly files: Tree;
  /** Paths relative to a version's folder. */
  readonly versionFiles: Tree;
  readonly diagnostics: readonly Diagnostic[];
}

/** Copies the project's files named by the author's fields to where Triton looks for them. */
export const configFiles = (step: StepDefinition, config: ModelConfig, host: CompilerHost): ConfigFiles => {
  const files = new Map<string, TreeFile>();
  const versionFiles = new Map<string, TreeFile>();
  const diagnostics: Diagnostic[] = [];
  const place = (file: string, folder: string | undefined): string => {
    const bytes = host.readFile(file);
    const name = file.slice(file.lastIndexOf("/") + 1);
    if (bytes === undefined)
      diagnostics.push(
        diagnose("model/file-not-found", {
          with: { step: step.name, file },
          labels: definedAt(step),
          ...nearFileHelp(host, file),
        }),
      );
    else if (folder === undefined) versionFiles.set(name, { kind: "copy", from: file, bytes });
    else files.set(`${folder}${name}`, { kind: "copy", from: file, bytes });
    return name;
  };
  let placed: unknown = config;
  for (const [path, folder] of fileFields) placed = mapAt(placed, path, (file) => place(file, folder));
  return { config: placed as ModelConfig, files, versionFiles, diagnostics };
};

const mapAt = (value: unknown, path: readonly string[], map: (file: string) => string): unknown => {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === "string" ? map(value) : value;
  if (Array.isArray(value)) return key === "*" ? value.map((item: unknown) => mapAt(item, rest, map)) : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      key === "*" || key === name ? mapAt(item, rest, map) : item,
    ]),
  );
};
