import { counted, inBackticks } from "@tritype/core";
import type { Colors } from "picocolors/types.js";
import { showTensor } from "../show-tensor.ts";
import type { Outcome } from "./compare-outcomes.ts";
import type { StepTest } from "./test-step.ts";

export interface StepTestSettings {
  readonly seed: number;
  readonly runs: number;
  /** Seconds per step. */
  readonly seconds: number;
  /** Length of the longest step name. */
  readonly width: number;
}

/**
 * A line about a step. If the results differ, the line is followed by the smallest such request, both responses, and the command that
 * reproduces the difference.
 */
export const printStepTest = (
  test: StepTest,
  { seed, runs, seconds, width }: StepTestSettings,
  colors: Colors,
): string => {
  const { step, requests, failedAlike, notPortable, difference, stopped, firstError } = test;
  const head = `${step.padEnd(width)}  ${counted(requests, "request").padStart(14)}`;
  if (difference !== undefined)
    return [
      `${head}  ${colors.red("DIFFERS")}`,
      ...showDifference(difference),
      `  again: pipeline test ${step} --seed ${seed} --runs ${runs}`,
    ].join("\n");
  if (requests === 0)
    return `${head}  ${colors.red("NOT COMPARED")}: no request was answered in ${seconds} s`;
  const failed = failedAlike === 0 ? "" : `, ${failedAlike} failed alike`;
  const refused = notPortable === 0 ? "" : `, ${notPortable} refused by Python as not portable`;
  const over = stopped ? `, stopped after ${seconds} s` : "";
  const what = noneSucceeded(test)
    ? `${colors.red("NOT COMPARED")}: no request succeeded`
    : colors.green("equal");
  const way = noneSucceeded(test)
    ? `\n  add a warmup sample that the step accepts to the ensemble${firstError === undefined ? "" : `; the first request failed with ${firstError}`}`
    : "";
  return `${head}  ${what}${failed}${refused}${over}${way}`;
};

/** A summary of all steps. */
export const printVerdict = (tests: readonly StepTest[], seed: number, colors: Colors): string => {
  const naming = (some: readonly StepTest[]): string => inBackticks(some.map(({ step }) => step));
  const different = tests.filter(({ difference }) => difference !== undefined);
  const unknown = tests.filter((test) => !isEqual(test) && test.difference === undefined);
  const verdict =
    different.length > 0
      ? colors.red(`Node and Python differ on ${naming(different)}`)
      : unknown.length > 0
        ? colors.red(`Node and Python were not compared on ${naming(unknown)}`)
        : colors.green(
            `Node and Python agree on ${tests.length === 1 ? "the step" : `all ${tests.length} steps`}`,
          );
  return `\n${verdict} (--seed ${seed})`;
};

/** Whether responses were compared and all were equal. */
export const isEqual = (test: StepTest): boolean => test.difference === undefined && !noneSucceeded(test);

const noneSucceeded = ({ requests, failedAlike, notPortable }: StepTest): boolean =>
  failedAlike + notPortable >= requests;

const showDifference = ({ inputs, node, python }: NonNullable<StepTest["difference"]>): readonly string[] => [
  "  inputs",
  ...indented([...inputs].map(([name, tensor]) => showTensor(name, tensor)).join("\n")),
  "  Node",
  ...indented(showOutcome(node)),
  "  Python",
  ...indented(showOutcome(python)),
];

const indented = (text: string): readonly string[] => text.split("\n").map((line) => `    ${line}`);

const showOutcome = (outcome: Outcome): string =>
  outcome.kind === "error"
    ? `error[${outcome.code}]: ${outcome.text}`
    : [...outcome.outputs].map(([name, tensor]) => showTensor(name, tensor)).join("\n");
