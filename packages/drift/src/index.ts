export type { BatchDependence } from "./batch-dependence.ts";
export { compareAnswers } from "./compare-answers.ts";
export { compareJson, parseJson } from "./compare-json.ts";
export {
  type DriftLimits,
  type DriftLimitsByOutput,
  driftLimitNames,
  driftLimitsSchema,
} from "./drift-limits.ts";
export {
  type DriftReport,
  type DriftReportModel,
  type DriftReportRow,
  type DriftReportTensor,
  driftReportFormatVersion,
  driftReportJsonSchema,
  driftReportSchema,
} from "./drift-report.ts";
export type { Bar, Distribution } from "./error-sketch.ts";
export { judgeDrift, showNumber } from "./judge-drift.ts";
export type { RankedRow } from "./worst-rows.ts";
