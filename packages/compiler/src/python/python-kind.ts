import { emitVersions, readVersions } from "../authored-versions.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import type { Found, StepKind } from "../step-kind.ts";
import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { PythonSource } from "@tritype/dsl";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { writtenAt } from "../check/check-declaration.ts";
import { nearFileHelp } from "../files/near-file.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { placedBeside, placedFile, placedFolder } from "../files/placed-files.ts";
import type { Tree } from "../tree.ts";
import { onCpu } from "./on-cpu.ts";
import { diagnosePython } from "./python-diagnostics.ts";

const options = {
  ...perVersion({ file: optionForms.path, folder: optionForms.path, files: optionForms.files }),
  requirements: optionForms.words,
  // `python` itself reads it into the step's `needs`; here, a misspelt name is recognized.
  uses: optionForms.words,
};

/** The author's own `model.py` on Triton's python backend, or one for each version. The repository rules check its content. */
export const pythonKind: StepKind = {
  kind: "python",
  refusals: "immediate",
  options,
  read(step, { host }) {
    const { folder, requirements = [] } = optionsOf(step, options);
    const { diagnostics, value: versions } = readVersions(
      step,
      folder === undefined ? "file" : "folder",
      (version) => pythonFiles(version, optionsOf(version, options), host),
    );
    return {
      diagnostics,
      value: versions && {
        model: () => ({
          config: onCpu(),
          requirements: ["numpy", ...requirements],
          ...(step.needs === undefined ? {} : { calls: step.needs }),
          ...emitVersions(versions, (files) => ({ files })),
        }),
      },
    };
  },
};

/** The version folder of a Python model: `model.py`, the content of its folder, and the files from `files`. */
const pythonFiles = (
  step: StepDefinition,
  { file, folder, files = {} }: { readonly [K in keyof PythonSource]: PythonSource[K] | undefined },
  host: CompilerHost,
): Found<Tree> => {
  const at = { labels: writtenAt(step, file === undefined ? "folder" : "file") };
  if ((file === undefined) === (folder === undefined)) {
    const what =
      file === undefined
        ? "neither `file` nor `folder`"
        : "both `file` and `folder`, which are mutually exclusive";
    return {
      diagnostics: [diagnosePython("python/no-file", { with: { step: step.name, what }, ...at })],
    };
  }
  const own = new Map(
    file === undefined ? placedFolder(folder ?? "", host) : placedFile("model.py", file, host),
  );
  const beside = placedBeside(files, own.keys(), host);
  const missing = (what: string, path: string, where: object = at): Diagnostic =>
    diagnosePython("python/file-not-found", {
      with: { step: step.name, what, path },
      ...at,
      ...where,
      ...nearFileHelp(host, path),
    });
  return {
    value: new Map([...own, ...beside.files]),
    diagnostics: [
      ...(own.has("model.py")
        ? []
        : [missing("file", file ?? `${folder?.replace(/\/+$/, "") ?? ""}/model.py`)]),
      ...beside.missing.map(({ name, path }) =>
        missing("file or folder", path, {
          labels: writtenAt(step, "files", name),
          help: "paths in `files` are relative to the project's root, which is the folder with pipeline.config.ts, even if the step has a `folder`",
        }),
      ),
      ...beside.clashes.map((clash) =>
        diagnoseBackend("step-file/clash", {
          with: { step: step.name, ...clash },
          labels: writtenAt(step, "files", clash.name),
        }),
      ),
    ],
  };
};
