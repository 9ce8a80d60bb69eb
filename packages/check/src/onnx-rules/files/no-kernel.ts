import { firstWithKernel, lacksKernel } from "@tritype/triton";
import type { ModelContext } from "../../model-context.ts";
import { onnxFiles } from "../../model/onnx-file.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { acceleratorsOf } from "../backends/accelerators.ts";
import { inFile } from "./model-file.ts";

/** An operator for whose element type the release's ONNX Runtime has no kernel on CPUs. */
export const noKernel: Rule = modelRule(
  {
    code: "onnx-model/no-kernel",
    judged: "library",
    severity: "warning",
    message:
      "`{file}` of `{model}` uses `{operator}` of opset {version} with {dtype}, for which the ONNX Runtime of Triton {target} has no kernel on CPUs",
    reason:
      "A server without a GPU does not load the model, even if a newer ONNX Runtime loads it on your machine. The table was measured with the ONNX Runtime of every release. Element types are only known where the file states them.",
  },
  (model, report) => {
    if (!runsOnCpu(model)) return;
    const { release } = model.options;
    for (const { path: file, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      for (const { domain, name, version, dtypes } of found.graph.operators)
        for (const dtype of domain === "" ? dtypes : []) {
          const operator = { name, version: version ?? 0, dtype };
          if (!lacksKernel(operator, release)) continue;
          const later = firstWithKernel(operator, release);
          const help = `cast its input to another dtype in the model${later === undefined ? "" : `, or target Triton ${later} or later`}`;
          const of = { operator: name, version: operator.version, dtype, target: release.container };
          report(inFile(model, file), { file, ...of, help });
        }
    }
  },
);

/** Whether an instance runs on the server's processors, with ONNX Runtime's own kernels. */
const runsOnCpu = (model: ModelContext): boolean =>
  model.config.instance_group?.some(({ kind }) => kind === "KIND_CPU") === true &&
  acceleratorsOf(model, "cpu_execution_accelerator").length === 0;
