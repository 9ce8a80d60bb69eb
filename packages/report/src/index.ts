export { renderReport } from "./render-report.ts";
export { modelTimeParts, type TimeBar, timeBars } from "./time-bars.ts";
export type {
  Block,
  Cell,
  Code,
  Columns,
  Details,
  Facts,
  Notice,
  Plot,
  PlotSpec,
  Report,
  Section,
  Table,
} from "./report.ts";
