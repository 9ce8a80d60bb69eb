import { groupBy } from "@tritype/core";
import type { TensorComparison } from "@tritype/inspector/view";
import { printableLine } from "@tritype/project/diagnostics";
import type { Colors } from "picocolors/types.js";
import { inColumns } from "../in-columns.ts";
import type { ComparedOutput, ComparedSteps } from "./compare-steps.ts";

/** For each ensemble and run, prints the first step that differs and all other steps, or that all steps agree. */
export const printSteps = (compared: readonly ComparedSteps[], tolerance: number, colors: Colors): string => {
  const groups = groupBy(
    compared.map((steps) => [`steps of ${steps.model}, ${steps.check}`, steps] as const),
  );
  const lines = [...groups].flatMap(([key, group]) => {
    const departing = group.find(({ first }) => first !== undefined);
    const first = departing?.first;
    if (departing === undefined || first === undefined) return [`${key}: ${colors.green(agreement(group))}`];
    const { sample } = departing;
    return [
      `${key}: ${colors.red(`\`${printableLine(nameIn(departing)(first))}\` differs first`)}, in request ${departing.request}${sample === undefined ? "" : ` (sample \`${sample}\`)`}`,
      `  ${departure(first, tolerance)}`,
      ...table(departing, colors),
    ];
  });
  const legend = [
    "own: the step alone, with its inputs from the local native run",
    "carried: with the answers of the steps before it in the other run",
  ];
  const departs = compared.some(({ first }) => first !== undefined);
  return [...lines, ...(departs ? legend.map((line) => colors.dim(line)) : [])].join("\n");
};

/** The names of steps: with their callers if several calls go to the same model. */
const nameIn = ({ outputs }: ComparedSteps): ((output: ComparedOutput) => string) => {
  const calls = groupBy(outputs.map(({ step, path }) => [step, path] as const));
  return ({ step, path }) => (new Set(calls.get(step)).size > 1 ? path : step);
};

const agreement = (group: readonly ComparedSteps[]): string => {
  const outputs = group.flatMap((steps) => steps.outputs);
  const steps = new Set(outputs.map(({ step }) => step)).size;
  const most = Math.max(0, ...outputs.map(({ own, carried }) => (own ?? carried)?.maxAbsolute ?? 0));
  return `${outputs.length} outputs of ${steps} steps in ${group.length} requests agree, max abs ${most.toExponential(1)}`;
};

/** The output that deviates, and whether its own step causes the deviation. */
const departure = ({ output, own, carried, inputs }: ComparedOutput, tolerance: number): string => {
  const { problem, maxAbsolute } = (own?.ok === false ? own : carried) ?? {};
  const what =
    problem === undefined
      ? `max abs ${maxAbsolute?.toExponential(1)}, tolerance ${tolerance}`
      : printableLine(problem.split("\n", 1)[0] ?? "");
  const where =
    inputs === undefined
      ? "with its inputs from the local native run"
      : inputs === 0
        ? "its inputs are equal"
        : `its inputs differ by at most ${inputs.toExponential(1)}`;
  const whose =
    own === undefined
      ? where
      : own.ok
        ? `${where}; it agrees when its inputs are equal, so it amplifies a difference that came from earlier steps`
        : `${where}, so it causes the difference itself`;
  return [...(output === "" ? [] : [printableLine(output)]), what, whose].join("; ");
};

const table = (steps: ComparedSteps, colors: Colors): readonly string[] => {
  const { outputs, first } = steps;
  const nameOf = nameIn(steps);
  const rows = [
    ["step", "output", "own", "carried"],
    ...outputs.map((each) => [
      printableLine(nameOf(each)),
      printableLine(each.output),
      figure(each.own),
      figure(each.carried),
    ]),
  ];
  return inColumns(rows).map((padded, index) => {
    const line = padded.trimEnd();
    const one = outputs[index - 1];
    if (one === undefined) return colors.dim(`    ${line}`);
    return one === first ? colors.red(`  ✗ ${line}`) : `    ${line}`;
  });
};

const figure = (comparison: TensorComparison | undefined): string => {
  if (comparison === undefined) return "–";
  const { maxAbsolute, problem } = comparison;
  if (problem !== undefined) return comparison.ok ? "–" : "differs";
  return maxAbsolute === 0 ? "0" : maxAbsolute.toExponential(1);
};
