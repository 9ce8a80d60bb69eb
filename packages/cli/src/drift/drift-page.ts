import { counted, present } from "@tritype/core";
import type { Bar, DriftReport, DriftReportModel, DriftReportTensor } from "@tritype/drift";
import { showNumber } from "@tritype/drift";
import type { Block, Plot, Report, Section } from "@tritype/report";
import { mixesRows, rowFindings, short, showShare, tensorLines, verdictOf } from "./print-drift.ts";
import { withoutTails } from "./without-tails.ts";

/** A drift report as a page. */
export const driftPage = (report: DriftReport): Report => ({
  title: `Drift of ${report.models.map(({ name }) => name).join(", ")}`,
  subtitle: `${report.candidate} against ${report.reference}, on ${report.dataset}`,
  verdict: { tone: report.ok ? "good" : "bad", text: sentence(verdictOf(report)) },
  sections: [
    ...report.models.flatMap((model) => model.tensors.map((tensor) => sectionOf(model, tensor))),
    { title: "How to read this", blocks: howToRead },
  ],
  footer: "Made by pipeline drift. Its JSON contains the same numbers.",
});

/** Splits numbers that are separated by two spaces in the terminal. */
const figuresOf = (text: string): string => {
  const parts = text.split(/ {2,}/);
  return parts.length === 1 ? text : parts.map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
};

const sentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}.`;

const howToRead = [
  "Absolute error: |candidate − reference| for every element that is finite on both sides. Relative error: the same divided by |reference|, unless that is smaller than the dtype's smallest normal number.",
  "Cosine: between each row and its counterpart; the plot shows 1 − cosine, because the cosines of good variants are all close to 1. Top-1: whether the largest value along the last axis is at the same position.",
  "Percentiles are accurate to 0.4 %; maxima and means are exact. Batch: the same rows sent alone, together, and together in a different order. If these differ, a row's answer depends on unrelated rows as soon as the server forms batches. Dynamic int8 does this by design, because it scales activations over the whole batch.",
];

const sectionOf = (model: DriftReportModel, tensor: DriftReportTensor): Section => {
  const failures = model.failures.filter(({ output }) => output === tensor.name);
  return {
    title: `${model.name}: ${tensor.name}`,
    blocks: [
      ...failures.map(({ text }): Block => ({ kind: "notice", tone: "bad", text })),
      ...(mixesRows(tensor) ? [rowsMixed(tensor)] : []),
      { kind: "facts", facts: factsOf(tensor) },
      {
        kind: "table",
        columns: ["measure", "value"],
        rows: tensorLines(tensor, model.batchRows).map(([label, text]) => [label, figuresOf(text)]),
      },
      {
        kind: "columns",
        blocks: plotsOf(tensor, model.limits[tensor.name]?.cosine ?? model.limits["*"]?.cosine),
      },
      ...worstOf(tensor),
    ],
  };
};

const rowsMixed = ({ batchDependence: { candidate } }: DriftReportTensor): Block => ({
  kind: "notice",
  tone: "warn",
  text: `The candidate's rows depend on the other rows in the batch, by up to ${short(candidate?.rowByRow ?? 0)}; the reference's do not.`,
});

const factsOf = ({ cosine, absolute, top1, rows, elements, equalElements }: DriftReportTensor) =>
  present(
    cosine !== null && {
      label: "lowest cosine",
      value: showNumber(cosine.min),
      note: `mean ${showNumber(cosine.mean)}`,
    },
    absolute !== null && {
      label: "largest absolute error",
      value: short(absolute.max),
      note: `mean ${short(absolute.mean)}`,
    },
    top1 !== null && {
      label: "top-1",
      value: showShare(top1.agreed, top1.positions),
      note: `of ${top1.positions}`,
    },
    elements > 0 && {
      label: "equal elements",
      value: showShare(equalElements, elements),
      note: `in ${counted(rows, "row")}`,
    },
  );

const plotsOf = (
  { name, absolute, relative, cosine }: DriftReportTensor,
  lowest: number | undefined,
): readonly Block[] =>
  present(
    absolute !== null && histogram(`Absolute error of ${name}`, "absolute error", "elements", absolute.bars),
    relative !== null && histogram(`Relative error of ${name}`, "relative error", "elements", relative.bars),
    cosine !== null &&
      histogram(
        `1 − cosine of ${name}`,
        "1 − cosine",
        "rows",
        cosine.distance.bars,
        lowest === undefined ? undefined : 1 - lowest,
      ),
  );

/** Draws bars on a logarithmic axis. Zeros cannot be shown on such an axis, so the caption mentions them. */
const histogram = (title: string, x: string, y: string, bars: readonly Bar[], limit?: number): Plot => {
  const zeros = bars.find(({ to }) => to === 0)?.count ?? 0;
  const { shown, below, above } = withoutTails(bars.filter(({ from }) => from > 0));
  const line = limit !== undefined && limit > 0 ? limit : undefined;
  const [least, most] = [short(shown[0]?.from ?? 0), short(shown.at(-1)?.to ?? 0)];
  const left = present(
    zeros > 0 && `${zeros} of 0`,
    below > 0 && `${below} below ${least}`,
    above > 0 && `${above} above ${most}`,
  );
  const caption = present(
    left.length > 0 && `not shown: ${left.join(", ")}`,
    line !== undefined && `the dashed line is the limit, ${short(line)}`,
  ).join("; ");
  // The padding keeps bars and limits away from the frame.
  const axis = { type: "log", nice: false, padding: 6 } as const;
  return {
    kind: "plot",
    title,
    description: `Histogram: ${shown.length === 0 ? `all ${zeros} are 0` : `${y} by ${x}, from ${least} to ${most}`}`,
    spec: {
      width: 380,
      height: 200,
      layer: [
        {
          data: { values: shown.map((bar) => ({ ...bar })) },
          mark: { type: "rect", stroke: "var(--paper)", strokeWidth: shown.length > 90 ? 0 : 1 },
          encoding: {
            x: {
              field: "from",
              type: "quantitative",
              scale: axis,
              title: x,
              axis: {
                format: ".0e",
                values: decades([
                  ...shown.flatMap(({ from, to }) => [from, to]),
                  ...(line === undefined ? [] : [line]),
                ]),
              },
            },
            x2: { field: "to" },
            y: { field: "count", type: "quantitative", title: y, scale: { zero: true } },
            y2: { datum: 0 },
          },
        },
        ...(line === undefined
          ? []
          : [
              {
                data: { values: [{ limit: line }] },
                mark: { type: "rule" as const, color: "var(--bad)", strokeDash: [4, 3] },
                encoding: { x: { field: "limit", type: "quantitative" as const, scale: axis } },
              },
            ]),
      ],
    },
    ...(caption === "" ? {} : { caption }),
  };
};

/** At most seven powers of ten for the axis. */
const decades = (values: readonly number[]): number[] => {
  const first = Math.floor(Math.log10(values.reduce((a, b) => Math.min(a, b), Infinity)));
  const last = Math.ceil(Math.log10(values.reduce((a, b) => Math.max(a, b), 0)));
  if (!Number.isFinite(first + last)) return [];
  const step = Math.max(1, Math.ceil((last - first) / 6));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step));
};

const worstOf = ({ worst }: DriftReportTensor): readonly Block[] =>
  worst.length === 0
    ? []
    : [
        {
          kind: "table",
          caption: "The rows that differ most",
          columns: ["row", "how", "inputs"],
          rows: worst.map((row) => [
            row.where,
            rowFindings(row).join("; "),
            Object.entries(row.inputs)
              .map(([name, value]) => `${name}: ${value}`)
              .join("; "),
          ]),
        },
      ];
