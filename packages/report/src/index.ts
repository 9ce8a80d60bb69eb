export { renderReport } from "./render-report.ts";
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
