import type { PlotSpec } from "./report.ts";
import type { Config } from "vega-lite";

/**
 * An SVG element. `prefix` makes its ids unique among the SVGs of a page. The same arguments give the same text.
 *
 * @throws Error with Vega-Lite's or Vega's message for a specification that it cannot draw
 */
export const drawPlot = async (spec: PlotSpec, prefix: string): Promise<string> => {
  const [{ compile }, { parse, View }] = await Promise.all([import("vega-lite"), import("vega")]);
  const compiled = compile(spec, { config: plotTheme, logger: quietLogger });
  const view = new View(parse(compiled.spec), { renderer: "none", logger: quietLogger });
  try {
    return withOwnIds(await view.toSVG(), prefix);
  } finally {
    view.finalize();
  }
};

/** Vega's advice is meant for authors of specifications, so it is not printed here. */
const quietLogger = {
  level: () => quietLogger,
  error: (...messages: readonly unknown[]) => {
    throw new Error(messages.map(String).join(" "));
  },
  warn: () => quietLogger,
  info: () => quietLogger,
  debug: () => quietLogger,
};

/** Vega's counter for the ids of clips and gradients is never reset in a process. */
const withOwnIds = (svg: string, prefix: string): string => {
  const names = new Map<string, string>();
  return svg.replaceAll(/(="url\(#|\bid=")([\w-]+)/g, (_, before: string, id: string) => {
    const name = names.get(id) ?? `${prefix}-${names.size + 1}`;
    names.set(id, name);
    return `${before}${name}`;
  });
};

const ink = "var(--ink)";
const quiet = "var(--quiet)";
const line = "var(--line)";

/** Colors are CSS variables of the page, so that one SVG works in both color schemes. */
const plotTheme: Config = {
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
