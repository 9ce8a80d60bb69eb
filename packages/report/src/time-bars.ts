import type { Block } from "./report.ts";

/** A bar: its parts with their milliseconds, in order. */
export interface TimeBar {
  readonly name: string;
  readonly parts: readonly (readonly [part: string, ms: number])[];
}

/** Time bars, one below the other, each divided into colored parts. */
export const timeBars = (title: string, bars: readonly TimeBar[]): Block => {
  const parts = [...new Set(bars.flatMap((bar) => bar.parts.map(([part]) => part)))];
  const values = bars.flatMap(({ name, parts: own }) =>
    own.map(([part, ms]) => ({ name, part, order: parts.indexOf(part), ms })),
  );
  return {
    kind: "plot",
    title,
    description: values.map(({ name, part, ms }) => `${name}: ${part} ${ms.toFixed(2)} ms`).join("; "),
    spec: {
      data: { values },
      mark: "bar",
      encoding: {
        y: { field: "name", type: "nominal", title: null, sort: null, axis: { labelLimit: 400 } },
        x: { field: "ms", type: "quantitative", title: "ms per request" },
        color: { field: "part", type: "nominal", title: null, sort: parts },
        order: { field: "order", type: "quantitative" },
      },
    },
  };
};

/** The parts of the time in one model, from microseconds. */
export const modelTimeParts = (step: {
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
}): TimeBar["parts"] => [
  ["queue", step.queueUs / 1000],
  ["input", step.computeInputUs / 1000],
  ["compute", step.computeInferUs / 1000],
  ["output", step.computeOutputUs / 1000],
];
