import type { Config } from "vega-lite";

const ink = "var(--ink)";
const quiet = "var(--quiet)";
const line = "var(--line)";

/** Colours are CSS variables of the page, so that one SVG works in both colour schemes. */
export const plotTheme: Config = {
  background: "transparent",
  font: "system-ui, sans-serif",
  padding: 4,
  view: {
    continuousWidth: 560,
    continuousHeight: 260,
    discreteWidth: 560,
    discreteHeight: 260,
    stroke: null,
  },
  axis: {
    labelColor: quiet,
    titleColor: ink,
    titleFontWeight: 500,
    labelFontSize: 11,
    titleFontSize: 12,
    titlePadding: 8,
    gridColor: line,
    domainColor: quiet,
    tickColor: quiet,
    labelLimit: 260,
  },
  header: { labelColor: ink, titleColor: ink, titleFontWeight: 500 },
  legend: {
    labelColor: ink,
    titleColor: ink,
    titleFontWeight: 500,
    labelFontSize: 12,
    titleFontSize: 12,
    labelLimit: 320,
    symbolStrokeWidth: 2,
    orient: "top",
  },
  title: { color: ink, fontWeight: 500 },
  mark: { color: "var(--series-1)" },
  line: { strokeWidth: 2 },
  rule: { color: quiet },
  text: { color: ink, fontSize: 11 },
  range: { category: Array.from({ length: 8 }, (_, index) => `var(--series-${index + 1})`) },
};
