import { groupBy, inBackticks, nearHelp } from "@tritype/core";
import type { UsedOperator } from "@tritype/onnx";
import { type OperatorProblem, operatorProblem } from "@tritype/triton";
import type { ModelContext } from "../../model-context.ts";
import { onnxFiles } from "../../model/onnx-file.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { acceleratorsOf } from "../backends/accelerators.ts";
import { inFile } from "./model-file.ts";

/** An operator that the release's ONNX Runtime does not have. A library of the model's may define any operator. */
export const unknownOperator: Rule = modelRule(
  {
    code: "onnx-model/unknown-operator",
    judged: "library",
    message: "`{file}` of `{model}` uses {operators}, {why}",
    reason:
      "ONNX Runtime loads a model only if it knows all of its operators, including those in branches that never run. The tables were measured with the ONNX Runtime of every release.",
  },
  (model, report) => {
    if ((model.config.model_operations?.op_library_filename ?? []).length > 0) return;
    const { release } = model.options;
    for (const { path: file, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      const problems = found.graph.operators.flatMap((operator) => {
        const problem = isPlugin(operator, model) ? undefined : operatorProblem(operator, release);
        return problem === undefined ? [] : [{ operator, ...said(problem, operator, release.container) }];
      });
      const groups = groupBy(problems.map((one) => [`${one.why}\n${one.help}`, one] as const));
      for (const group of groups.values()) {
        const [first] = group;
        if (first === undefined) continue;
        const { why, help } = first;
        report(inFile(model, file), { file, operators: listed(group), why, help });
      }
    }
  },
);

/** With the TensorRT accelerator, the operators of this domain are TensorRT's plugins. */
const isPlugin = ({ domain }: UsedOperator, model: ModelContext): boolean =>
  domain === "trt.plugins" &&
  acceleratorsOf(model, "gpu_execution_accelerator").some(({ name }) => name === "tensorrt");

const mostListed = 5;

const listed = (all: readonly { readonly operator: UsedOperator }[]): string => {
  const names = all.map(({ operator: { name } }) => name);
  const more = names.length - mostListed;
  const shown = inBackticks(more > 0 ? names.slice(0, mostListed) : names);
  return `the operator${names.length > 1 ? "s" : ""} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
};

const library =
  "name the library that defines it in `op_library_filename` of `model_operations`, or export the model without it";

const helpFor = ({ near, other }: OperatorProblem & { readonly kind: "name" }): string => {
  if (other !== undefined) return `set the domain of the node: \`${other || "ai.onnx"}\` has this operator`;
  return nearHelp(near) ?? library;
};

const said = (
  problem: OperatorProblem,
  { domain, version }: UsedOperator,
  target: string,
): { readonly why: string; readonly help: string } => {
  const set = domain === "" ? "ai.onnx" : domain;
  switch (problem.kind) {
    case "domain":
      return { why: `whose domain \`${domain}\` is not part of ONNX Runtime`, help: library };
    case "name":
      return { why: `which ONNX Runtime does not have in the domain \`${set}\``, help: helpFor(problem) };
    case "too-old":
      return {
        why: `which ${set} has as of opset ${problem.since}; the file imports opset ${version}`,
        help: `export the model with opset ${problem.since} or higher`,
      };
    case "removed":
      return {
        why: `which ${set} has up to opset ${problem.until}; the file imports opset ${version}`,
        help: `export the model with opset ${problem.until}, or with an exporter that does not use it`,
      };
    default:
      return {
        why: `which the ONNX Runtime of Triton ${target} does not have`,
        help: `target a release from ${problem.first} to ${problem.last}, or export the model without it`,
      };
  }
};
