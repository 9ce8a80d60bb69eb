import type { PythonOptions } from "@tritype/dsl";
import { checkVersions } from "../authored-versions.ts";
import { emitVersions } from "../emit-versions.ts";
import type { StepKind } from "../step-kind.ts";
import { pythonFiles } from "./python-files.ts";

/** A `model.py` of the author's on Triton's python backend, or one for each version. What is in it the rules about repositories judge. */
export const pythonKind: StepKind = {
  kind: "python",
  refusals: "immediate",
  options: ["file", "folder", "files", "versions", "requirements"],
  check: (step, { host }) =>
    checkVersions(
      step,
      step.options["folder"] === undefined ? "file" : "folder",
      (version) => pythonFiles(version, host).diagnostics,
    ),
  emit(step, { host }) {
    const { requirements = [] } = step.options as Pick<PythonOptions, "requirements">;
    return {
      config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
      requirements: ["numpy", ...requirements],
      ...emitVersions(step, (version) => ({ files: pythonFiles(version, host).files })),
    };
  },
};
