import { counted, present } from "@tritype/core";
import {
  type BatchDependence,
  type Distribution,
  type DriftReport,
  type DriftReportModel,
  type DriftReportRow,
  type DriftReportTensor,
  showNumber,
} from "@tritype/drift";
import type { Colors } from "picocolors/types.js";

/** A drift report for the terminal. */
export const printDrift = (report: DriftReport, colors: Colors): string => {
  const failures = report.models.flatMap(({ name, failures: found }) =>
    found.map(({ output, text }) => `${name}.${output}: ${text}`),
  );
  return [
    `${report.candidate} against ${report.reference}, on ${report.dataset}`,
    ...report.models.map((model) => printModel(model, colors)),
    "",
    ...(failures.length === 0
      ? [colors.green(verdictOf(report))]
      : [colors.red(verdictOf(report)), ...failures.map((failure) => `  ${failure}`)]),
  ].join("\n");
};

/** Summarizes the report in one sentence. */
export const verdictOf = ({ models }: DriftReport): string => {
  const failures = models.reduce((count, model) => count + model.failures.length, 0);
  if (failures > 0) return `the drift is too large: ${counted(failures, "failure")}`;
  return models.every(({ limits }) => Object.keys(limits).length === 0)
    ? "no failures, and no limits are set"
    : "the drift is within its limits";
};

const printModel = ({ name, rows, requests, batchRows, tensors }: DriftReportModel, colors: Colors): string =>
  [
    "",
    `${colors.bold(name)}: ${counted(rows, "row")} in ${counted(requests, "request")}`,
    ...tensors.map((tensor) => printTensor(tensor, batchRows, colors)),
  ].join("\n");

const printTensor = (tensor: DriftReportTensor, batchRows: number, colors: Colors): string =>
  [
    `  ${colors.bold(tensor.name)} ${tensor.dtype.reference ?? tensor.dtype.candidate ?? ""}`,
    ...tensorLines(tensor, batchRows).map(([label, text]) => `    ${label.padEnd(10)}${text}`),
    ...(mixesRows(tensor)
      ? [`    ${colors.yellow("its rows depend on the other rows in the batch; the reference's do not")}`]
      : []),
    ...tensor.worst.map((row, index) => `    ${(index === 0 ? "worst" : "").padEnd(10)}${printRow(row)}`),
  ].join("\n");

type Line = readonly [label: string, value: string];

/** A tensor's drift. */
export const tensorLines = (tensor: DriftReportTensor, batchRows: number): readonly Line[] => {
  const { rows, equalRows, elements, equalElements, absolute, relative, cosine, top1, nonFinite } = tensor;
  const { equalExceptNumbers, batchDependence } = tensor;
  const { reference, candidate } = batchDependence;
  const exact = ((tensor.dtype.reference ?? "").match(/^(FP|BF)/) ?? []).length === 0;
  return [
    ...tensor.differences.map(
      ({ text, rows: in_ }): Line => ["differs", `${text}, in ${counted(in_, "row")}`],
    ),
    ...present<Line>(
      rows > 0 && [
        "equal",
        `${equalRows} of ${counted(rows, "row")}${exact ? `, ${equalElements} of ${counted(elements, "element")}` : ""}`,
      ],
      equalExceptNumbers !== null && [
        "JSON",
        `${equalExceptNumbers} of ${counted(elements, "element")} are equal except for fractional numbers`,
      ],
      absolute !== null && ["absolute", printDistribution(absolute)],
      relative !== null && [
        "relative",
        `${printDistribution(relative)}${tensor.withoutRelative > 0 ? `  (${tensor.withoutRelative} near 0 omitted)` : ""}`,
      ],
      cosine !== null && [
        "cosine",
        `min ${showNumber(cosine.min)}  p1 ${showNumber(cosine.p1)}  p10 ${showNumber(cosine.p10)}  p50 ${showNumber(cosine.p50)}  mean ${showNumber(cosine.mean)}`,
      ],
      top1 !== null && [
        "top-1",
        `${top1.agreed} of ${top1.positions} agree (${showShare(top1.agreed, top1.positions)})`,
      ],
      nonFinite !== null && [
        "NaN, Inf",
        `${nonFinite.reference.nan} and ${nonFinite.reference.infinite} in the reference, ${nonFinite.candidate.nan} and ${nonFinite.candidate.infinite} in the candidate; ${nonFinite.mismatched} on only one side`,
      ],
      reference !== null &&
        candidate !== null && [
          "batch",
          `${counted(batchRows, "row")} alone vs. together: reference ${short(reference.rowByRow)}, candidate ${short(candidate.rowByRow)}; in another order: ${short(reference.permuted)}, ${short(candidate.permuted)}`,
        ],
    ),
  ];
};

/** Whether the candidate's rows depend on each other while the reference's do not, as with dynamic int8. */
export const mixesRows = ({ batchDependence: { reference, candidate } }: DriftReportTensor): boolean =>
  reference !== null &&
  candidate !== null &&
  largestOf(candidate) > 1e-6 &&
  largestOf(candidate) > 10 * largestOf(reference);

const largestOf = ({ rowByRow, permuted }: BatchDependence): number => Math.max(rowByRow, permuted);

const printDistribution = ({ max, mean, p50, p90, p99, p999 }: Distribution): string =>
  `max ${short(max)}  mean ${short(mean)}  p50 ${short(p50)}  p90 ${short(p90)}  p99 ${short(p99)}  p99.9 ${short(p999)}`;

/** Three digits. */
export const short = (value: number): string =>
  value === 0
    ? "0"
    : value >= 0.001 && value < 1e6
      ? String(Number(value.toPrecision(3)))
      : value.toExponential(1).replace("e+", "e");

export const showShare = (part: number, whole: number): string =>
  part === whole ? "100 %" : `${Math.min(99.99, Number(((100 * part) / whole).toPrecision(4)))} %`;

/** `texts.jsonl:7  cosine 0.98  element 3: 0.5, not 0.25  text: "…"` */
const printRow = (row: DriftReportRow): string =>
  [
    row.where,
    ...rowFindings(row),
    ...Object.entries(row.inputs).map(([name, value]) => `${name}: ${cut(value)}`),
  ].join("  ");

const cut = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 59)}…`);

/** Describes what is wrong with a row. */
export const rowFindings = ({
  cosine,
  top1Changed,
  mismatched,
  worstElement,
  distance,
}: DriftReportRow): readonly string[] =>
  present(
    mismatched > 0 && `${mismatched} NaN or infinite on one side`,
    cosine === null
      ? distance > 0 && mismatched === 0 && `distance ${short(distance)}`
      : `cosine ${showNumber(cosine)}`,
    top1Changed > 0 && "top-1 differs",
    worstElement !== null &&
      `element ${present<unknown>(worstElement.index, worstElement.path).join(", ")}: ${worstElement.candidate}, not ${worstElement.reference}`,
  );
