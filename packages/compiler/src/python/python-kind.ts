import { emitVersions, readVersions } from "../authored-versions.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import type { StepKind } from "../step-kind.ts";
import { pythonFiles } from "./python-files.ts";

const options = {
  ...perVersion({ file: optionForms.path, folder: optionForms.path, files: optionForms.files }),
  requirements: optionForms.words,
};

/**
 * A `model.py` of the author's on Triton's python backend, or one for each version. The repository rules check its
 * content.
 */
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
          config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
          requirements: ["numpy", ...requirements],
          ...emitVersions(versions, (files) => ({ files })),
        }),
      },
    };
  },
};
