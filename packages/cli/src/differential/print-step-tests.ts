import type { Colors } from "picocolors/types.js";
import { showTensor } from "../show-tensor.ts";
import type { Outcome } from "./compare-outcomes.ts";
import type { StepTest } from "./test-step.ts";

/** One line per step; under one that differs the smallest request, both answers, and the command that finds it again. */
export const printStepTests = (
  tests: readonly StepTest[],
  { seed, runs }: { readonly seed: number; readonly runs: number },
  colors: Colors,
): string => {
  const width = Math.max(...tests.map(({ step }) => step.length));
  const blocks = tests.map((test) => {
    const { step, requests, failedAlike, notPortable, difference } = test;
    const head = `${step.padEnd(width)}  ${String(requests).padStart(5)} ${requests === 1 ? "request" : "requests"}`;
    if (difference !== undefined)
      return [
        `${head}  ${colors.red("DIFFERS")}`,
        ...showDifference(difference),
        `  again: pipeline test ${step} --seed ${seed} --runs ${runs}`,
      ].join("\n");
    const failed = failedAlike === 0 ? "" : `, ${failedAlike} failed alike`;
    const refused = notPortable === 0 ? "" : `, ${notPortable} refused by Python as not portable`;
    const allFailed =
      failedAlike + notPortable === requests
        ? `  ${colors.yellow("no request succeeded: give the ensemble a warmup sample")}`
        : "";
    return `${head}  ${colors.green("equal")}${failed}${refused}${allFailed}`;
  });
  const different = tests.filter(({ difference }) => difference !== undefined);
  const verdict =
    different.length === 0
      ? colors.green(
          `Node and Python agree on ${tests.length === 1 ? "the step" : `all ${tests.length} steps`}`,
        )
      : colors.red(`Node and Python differ on ${different.map(({ step }) => `\`${step}\``).join(", ")}`);
  return [...blocks, "", `${verdict} (--seed ${seed})`].join("\n");
};

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
