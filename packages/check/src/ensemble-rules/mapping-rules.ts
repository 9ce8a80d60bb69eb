import { inBackticks, nearHelp } from "@tritype/core";
import type { Rule } from "../rule.ts";
import { configOf, mapOf } from "./check-members.ts";
import { stepPath } from "./ensemble-problem.ts";
import { problemRule } from "./problem-rule.ts";

const unknownPortRule = problemRule(
  "unknown-port",
  {
    code: "ensemble/unknown-port",
    triton: ["119"],
    reason: "The keys of `input_map` and `output_map` are the tensor names of the step's model.",
    words: {
      input:
        "in ensemble {ensemble}, ensemble tensor {tensor} is mapping to non-existing input {port} in model {model}",
      output:
        "in ensemble {ensemble}, ensemble tensor {tensor} is mapped from non-existing output {port} in model {model}",
    },
    message:
      "step `{model}` of ensemble `{ensemble}` maps {side} `{port}` to `{tensor}`, but has no {side} `{port}`",
  },
  ({ at, side, port, tensor }, model, report, { suggest }) => {
    const names = (configOf(at.member)[side] ?? []).map(({ name = "" }) => name);
    const map = mapOf(at, side);
    const near = suggest(
      port,
      names.filter((name) => !Object.hasOwn(map, name)),
    );
    report(model.at(stepPath(at.index, `${side}_map`, port), `not an ${side} of \`${at.name}\``), {
      side,
      port,
      tensor,
      words: side,
      notes: [`\`${at.name}\` has ${inBackticks(names) || `no ${side}s`}`],
      help: nearHelp(near),
    });
  },
);

const unmappedInputRule = problemRule(
  "unmapped-input",
  {
    code: "ensemble/unmapped-input",
    triton: ["120"],
    reason: "A step needs every input of its model that is not `optional`.",
    words: "in ensemble {ensemble}, input {port} in model {model} is not mapped to any ensemble tensors",
    message: "ensemble `{ensemble}` does not connect input `{port}` of its step `{model}`",
    help: "map it in `input_map`, or mark it `optional: true` in `{model}`",
  },
  ({ at, port }, model, report) => {
    const index = (configOf(at.member).input ?? []).findIndex(({ name }) => name === port);
    const missing = model.at(stepPath(at.index, "input_map"), `\`${port}\` is missing`);
    report([missing, at.member.model.at(["input", index], "required")], { port });
  },
);

const duplicateOutputRule = problemRule(
  "duplicate-output",
  {
    code: "ensemble/duplicate-output",
    triton: ["119"],
    reason:
      "A model with two outputs of the same name loads on its own, but no ensemble can use that output.",
    words:
      "in ensemble {ensemble}, multiple outputs in model {model} are mapped to the same ensemble tensor {tensor}",
    message:
      "ensemble `{ensemble}` maps output `{output}` of `{model}` to `{tensor}`, but `{model}` has two outputs of that name",
    help: "remove one of them from `{model}`",
  },
  ({ at, port, tensor }, model, report) => {
    const index = (configOf(at.member).output ?? []).findLastIndex(({ name }) => name === port);
    const twice = model.at(stepPath(at.index, "output_map", port), "exists twice");
    report([twice, at.member.model.at(["output", index], "the second one")], { output: port, tensor });
  },
);

export const mappingRules: readonly Rule[] = [unknownPortRule, unmappedInputRule, duplicateOutputRule];
