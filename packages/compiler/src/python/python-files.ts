import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { PythonSource } from "@tritype/dsl";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { writtenAt } from "../check/check-declaration.ts";
import { nearFileHelp } from "../files/near-file.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { placedBeside, placedFile, placedFolder } from "../files/placed-files.ts";
import type { Found } from "../step-kind.ts";
import type { Tree } from "../tree.ts";
import { diagnosePython } from "./python-diagnostics.ts";

/** The version folder of a Python model: `model.py`, the content of its folder, and the files that `files` adds. */
export const pythonFiles = (
  step: StepDefinition,
  { file, folder, files = {} }: { readonly [K in keyof PythonSource]: PythonSource[K] | undefined },
  host: CompilerHost,
): Found<Tree> => {
  const at = { labels: writtenAt(step, file === undefined ? "folder" : "file") };
  if ((file === undefined) === (folder === undefined)) {
    const what =
      file === undefined
        ? "neither `file` nor `folder`"
        : "both `file` and `folder`, which exclude each other";
    return {
      diagnostics: [diagnosePython("python/no-file", { with: { step: step.name, what }, ...at })],
    };
  }
  const own = new Map(
    file === undefined ? placedFolder(folder ?? "", host) : placedFile("model.py", file, host),
  );
  const beside = placedBeside(files, own.keys(), host);
  const missing = (what: string, path: string): Diagnostic =>
    diagnosePython("python/file-not-found", {
      with: { step: step.name, what, path },
      ...at,
      ...nearFileHelp(host, path),
    });
  return {
    value: new Map([...own, ...beside.files]),
    diagnostics: [
      ...(own.has("model.py")
        ? []
        : [missing("file", file ?? `${folder?.replace(/\/+$/, "") ?? ""}/model.py`)]),
      ...beside.missing.map((path) => missing("file or folder", path)),
      ...beside.clashes.map((clash) =>
        diagnoseBackend("step-file/clash", { with: { step: step.name, ...clash }, ...at }),
      ),
    ],
  };
};
