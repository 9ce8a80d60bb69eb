import { type RequestTime, timeIn } from "@tritype/load-test";
import type { Colors } from "picocolors/types.js";
import type { BenchCase, BenchResult } from "./bench-result.ts";
import { showNumber, showUs } from "./figures.ts";
import { alignedTable } from "./print-result.ts";
import { caseName } from "./show-case.ts";

/** `--by-step`: a table for each case, whose rows are the steps of a request and the times between them. */
export const printSteps = ({ cases }: BenchResult, colors: Colors): string => {
  const timed = cases.filter((one) => one.time !== undefined);
  return timed.length === 0
    ? "no times by step: the server has no statistics"
    : timed.map((one) => alignedTable(stepRows(one), colors)).join("\n\n");
};

/** Columns of the table, after the name of the step. */
export const stepColumns: readonly string[] = [
  "queue",
  "input",
  "compute",
  "output",
  "time",
  "share",
  "average batch",
  "batches",
];

/** One row for each step, then the rest of the request; the first row has the columns' names. */
export const stepRows = (one: BenchCase): readonly (readonly string[])[] => {
  const { time, models = [] } = one;
  if (time === undefined) return [];
  const share = (us: number): string => `${((us / time.requestUs) * 100).toFixed(0)} %`;
  const step = (times: RequestTime["steps"][number], name: string, isPart: boolean): readonly string[] => {
    const activity = models.find(({ model }) => model === times.model);
    return [
      name,
      showUs(times.queueUs),
      showUs(times.computeInputUs),
      showUs(times.computeInferUs),
      showUs(times.computeOutputUs),
      showUs(timeIn(times)),
      isPart ? share(timeIn(times)) : "",
      showNumber(activity?.averageBatch),
      batchesOf(activity?.batches ?? []),
    ];
  };
  const rest = (name: string, us: number): readonly string[] => [
    name,
    "",
    "",
    "",
    "",
    showUs(us),
    share(us),
    "",
    "",
  ];
  return [
    [caseName(one), ...stepColumns],
    ...time.steps.map((times) => step(times, times.model, true)),
    rest("between the steps", time.betweenUs),
    rest("outside the server", time.outsideUs),
    rest("request", time.requestUs),
    rest("of which compute", computeOf(time)),
    ...time.others.map((times) => step(times, `(${times.model})`, false)),
  ];
};

/** The time that the models alone need for a request of this case: the executions of its batches. */
const computeOf = ({ steps }: RequestTime): number =>
  steps.reduce((sum, { computeInferUs }) => sum + computeInferUs, 0);

/** "1×120 4×30": rows × executions; if there are many sizes, only the most frequent ones. */
const batchesOf = (batches: readonly { readonly rows: number; readonly executions: number }[]): string => {
  const shown = batches
    .toSorted((a, b) => b.executions - a.executions)
    .slice(0, mostSizes)
    .toSorted((a, b) => a.rows - b.rows)
    .map(({ rows, executions }) => `${rows}×${executions}`);
  return [...shown, ...(batches.length > mostSizes ? ["…"] : [])].join(" ");
};
const mostSizes = 6;
