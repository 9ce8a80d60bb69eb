import { groupBy } from "@tritype/core";
import { firstWithKernel, lacksKernel } from "@tritype/triton";
import type { ModelContext } from "../../model-context.ts";
import { onnxFiles } from "../../model/onnx-file.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { acceleratorsOf } from "../backends/accelerators.ts";
import { inFile } from "./model-file.ts";

/** An operator with an element type for which the release's ONNX Runtime has no kernel on CPUs. */
export const noKernel: Rule = modelRule(
  {
    code: "onnx-model/no-kernel",
    judged: "library",
    severity: "warning",
    message:
      "`{file}` of `{model}` uses `{operator}` of opset {version} with {dtype} in {nodes}, for which the ONNX Runtime of Triton {target} has no kernel on CPUs",
    reason:
      "A server without a GPU does not load the model, even if a newer ONNX Runtime loads it on your machine. The table was measured with the ONNX Runtime of every release. Element types are only known where the file states them.",
  },
  (model, report) => {
    if (!runsOnCpu(model)) return;
    const { release } = model.options;
    for (const { path: file, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      for (const { domain, name, version = 0, typed } of found.graph.operators) {
        const lacking = typed.filter(
          ({ index, dtype }) => domain === "" && lacksKernel({ name, version, input: index, dtype }, release),
        );
        for (const [dtype, inputs] of groupBy(lacking.map((one) => [one.dtype, one] as const))) {
          const [{ index: input } = { index: 0 }] = inputs;
          const later = firstWithKernel({ name, version, input, dtype }, release);
          const help = `cast its input to another dtype in the model${later === undefined ? "" : `, or target Triton ${later} or later`}`;
          const nodes = shown([...new Set(inputs.flatMap((one) => one.nodes))]);
          const of = { operator: name, version, dtype, nodes, target: release.container };
          report(inFile(model, file), { file, ...of, help });
        }
      }
    }
  },
);

const shown = ([first = "", ...others]: readonly string[]): string =>
  `the node \`${first}\`${others.length === 0 ? "" : ` and ${others.length} more`}`;

/** Whether an instance runs on the server's processors, with ONNX Runtime's own kernels. */
const runsOnCpu = (model: ModelContext): boolean =>
  model.config.instance_group?.some(({ kind }) => kind === "KIND_CPU") === true &&
  acceleratorsOf(model, "cpu_execution_accelerator").length === 0;
