import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { PythonSource } from "@tritype/dsl";
import { definedAt } from "../check/check-declaration.ts";
import type { CompilerHost } from "../compiler-host.ts";
import type { Tree, TreeFile } from "../tree.ts";
import { diagnosePython } from "./python-diagnostics.ts";

/** The version folder of a Python model, as far as it is there, and what is wrong with it. */
export interface PythonFiles {
  readonly files: Tree;
  readonly diagnostics: readonly Diagnostic[];
}

/** `model.py`, what lies in its folder, and what `files` puts beside it. */
export const pythonFiles = (step: StepDefinition, host: CompilerHost): PythonFiles => {
  const { file, folder, files = {} } = step.options as PythonSource;
  const at = { labels: definedAt(step) };
  if ((file === undefined) === (folder === undefined)) {
    const what =
      file === undefined ? "neither `file` nor `folder`" : "`file` and `folder`, which exclude each other";
    return {
      files: new Map(),
      diagnostics: [diagnosePython("python/no-file", { with: { step: step.name, what }, ...at })],
    };
  }
  const missing = (what: string, path: string): Diagnostic =>
    diagnosePython("python/file-not-found", { with: { step: step.name, what, path }, ...at });
  const own = new Map<string, TreeFile>(
    file === undefined ? filesUnder(folder ?? "", host) : copyOf("model.py", file, host),
  );
  const diagnostics: Diagnostic[] = own.has("model.py")
    ? []
    : [missing("file", file ?? `${folder?.replace(/\/+$/, "")}/model.py`)];
  for (const [name, path] of Object.entries(files)) {
    const found = [...copyOf(name, path, host), ...filesUnder(path, host, `${name}/`)];
    if (found.length === 0) diagnostics.push(missing("file or folder", path));
    const why =
      /^(?:[^/\\]+\/)*[^/\\]+$/.test(name) && !name.split("/").includes("..")
        ? found.some(([other]) => own.has(other))
          ? "another file has that name"
          : undefined
        : "it leads out of the folder";
    if (why !== undefined)
      diagnostics.push(diagnosePython("python/file-clash", { with: { step: step.name, name, why }, ...at }));
    for (const [other, copy] of found) own.set(other, copy);
  }
  return { files: own, diagnostics };
};

const copyOf = (name: string, from: string, host: CompilerHost): readonly (readonly [string, TreeFile])[] => {
  const bytes = host.readFile(from);
  return bytes === undefined ? [] : [[name, { kind: "copy", from, bytes }]];
};

const filesUnder = (
  folder: string,
  host: CompilerHost,
  under = "",
): readonly (readonly [string, TreeFile])[] => {
  const root = folder.replace(/\/+$/, "");
  return (host.listFiles(root) ?? [])
    .filter((path) => !isLeftOver(path))
    .flatMap((path) => copyOf(`${under}${path}`, `${root}/${path}`, host));
};

/** What editors, tools and Python itself put into folders. */
const isLeftOver = (path: string): boolean =>
  path.split("/").some((part) => part.startsWith(".") || part === "__pycache__") || /\.py[cio]$/.test(path);
