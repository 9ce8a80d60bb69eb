import type { PythonOptions } from "@tritype/dsl";
import { emitVersions, readVersions } from "../authored-versions.ts";
import { optionForms } from "../check/check-option-forms.ts";
import type { StepKind } from "../step-kind.ts";
import { pythonFiles } from "./python-files.ts";

/**
 * A `model.py` of the author's on Triton's python backend, or one for each version. The repository rules check its
 * content.
 */
export const pythonKind: StepKind = {
  kind: "python",
  refusals: "immediate",
  options: {
    file: optionForms.path,
    folder: optionForms.path,
    files: optionForms.files,
    versions: optionForms.any,
    requirements: optionForms.words,
  },
  read(step, { host }) {
    const { folder, requirements = [] } = step.options as Partial<PythonOptions>;
    const { diagnostics, value: versions } = readVersions(
      step,
      folder === undefined ? "file" : "folder",
      (version) => pythonFiles(version, host),
    );
    return {
      diagnostics,
      value: versions && {
        model: () => ({
          config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
          requirements: ["numpy", ...requirements],
          ...emitVersions(versions, (files) => ({ files })),
        }),
      },
    };
  },
};
