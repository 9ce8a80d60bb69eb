import { type Block, modelTimeParts, type Section, type TimeBar, timeBars } from "@tritype/report";
import type { BenchCase } from "./bench-result.ts";
import { stepColumns, stepRows } from "./print-steps.ts";
import { caseName, unbroken } from "./show-case.ts";

/** The time of a request in each step, for each case that has statistics. */
export const timeSection = (cases: readonly BenchCase[]): Section => ({
  title: "Where the time goes",
  blocks: [
    "Means per request, from the server's statistics: for each step the time in its queue, for reading inputs, in the model and for writing outputs. “Between the steps” is the additional time that the ensemble needs; “outside the server” is the additional time that the client measured: the connection, and reading and printing messages. Compute is the time of the models alone. Of parallel steps, only the slowest counts; other active models are in brackets.",
    timeBars(
      "Time of a request",
      cases.flatMap((one) => {
        const { time } = one;
        if (time === undefined) return [];
        const bar = (name: string, parts: TimeBar["parts"]) => ({ name: `${caseName(one)}: ${name}`, parts });
        return [
          ...time.steps.map((step) => bar(step.model, modelTimeParts(step))),
          bar("between the steps", [["other", time.betweenUs / 1000]]),
          bar("outside the server", [["other", time.outsideUs / 1000]]),
        ];
      }),
    ),
    ...cases.flatMap((one): readonly Block[] => {
      const [, ...rows] = stepRows(one);
      if (rows.length === 0) return [];
      return [
        {
          kind: "table",
          caption: caseName(one),
          columns: [
            "step",
            ...stepColumns.map((title) => (title === "batches" ? title : { figures: title })),
          ],
          rows: rows.map((row) => row.map(unbroken)),
        },
      ];
    }),
  ],
});
