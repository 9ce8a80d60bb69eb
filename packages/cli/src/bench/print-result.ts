import { inColumns } from "../in-columns.ts";
import type { Colors } from "picocolors/types.js";
import type { BenchCase, BenchResult } from "./bench-result.ts";
import { showCount, showMs, showNumber, showRate, showUs } from "./figures.ts";
import { busiestOf, caseName, failed } from "./show-case.ts";

/** A table of the cases, their failures, and the models' activity under the heaviest load that has statistics. */
export const printResult = ({ cases }: BenchResult, colors: Colors): string => {
  const rows = cases.map((one) => [
    caseName(one),
    showRate(one.requestsPerSecond),
    showRate(one.rowsPerSecond),
    ...percentiles(one),
    showCount(failed(one)),
  ]);
  const head = ["", "requests/s", "rows/s", "p50", "p90", "p99", "p99.9", "failed"];
  return [
    alignedTable([head, ...rows], colors),
    ...streamTable(cases, colors),
    ...cases.flatMap((one) =>
      one.failures.map(
        ({ status, count, message }) =>
          `${colors.red("failed")} ${caseName(one)}: ${showCount(count)} × ${status}: ${message.split("\n", 1)[0]}`,
      ),
    ),
    ...cases
      .filter(({ unfinished }) => unfinished > 0)
      .map(
        (one) =>
          `${colors.red("failed")} ${caseName(one)}: ${showCount(one.unfinished)} had no answer when it ended`,
      ),
    ...modelTable(cases, colors),
  ].join("\n");
};

const streamTable = (cases: readonly BenchCase[], colors: Colors): readonly string[] => {
  const rows = streamRows(cases);
  return rows.length === 0 ? [] : ["", alignedTable([["streams", ...streamColumns], ...rows], colors)];
};

export const streamColumns: readonly string[] = [
  "responses/s",
  ...["first", "gap"].flatMap((what) => ["p50", "p90", "p99"].map((share) => `${what} ${share}`)),
];

/** A row for each case whose model streams: its name and its figures. */
export const streamRows = (cases: readonly BenchCase[]): readonly (readonly string[])[] =>
  cases.flatMap(({ stream, ...one }) =>
    stream === undefined
      ? []
      : [
          [
            caseName(one),
            showRate(stream.responsesPerSecond),
            ...[stream.first, stream.gap].flatMap((times) =>
              [times?.p50, times?.p90, times?.p99].map(showMs),
            ),
          ],
        ],
  );

export const percentiles = ({ latency }: BenchCase): readonly string[] =>
  [latency?.p50, latency?.p90, latency?.p99, latency?.p999].map(showMs);

const modelTable = (cases: readonly BenchCase[], colors: Colors): readonly string[] => {
  const busiest = busiestOf(cases.filter(({ models = [] }) => models.length > 0));
  if (busiest?.models === undefined) return [];
  const head = [caseName(busiest), "executions", "average batch", "queue", "compute"];
  const rows = busiest.models.map((model) => [
    model.model,
    showCount(model.executions),
    showNumber(model.averageBatch),
    showUs(model.queueUs),
    showUs(model.computeInputUs + model.computeInferUs + model.computeOutputUs),
  ]);
  return ["", alignedTable([head, ...rows], colors)];
};

/** The first column is left-aligned, figures are right-aligned. */
export const alignedTable = (rows: readonly (readonly string[])[], colors: Colors): string => {
  const lines = inColumns(rows, (text, width, at) => (at === 0 ? text.padEnd(width) : text.padStart(width)));
  return lines.map((line, index) => (index === 0 ? colors.dim(line) : line)).join("\n");
};
