import { plotTheme } from "./plot-theme.ts";
import type { PlotSpec } from "./report.ts";

/**
 * An SVG element. `prefix` makes its ids unique among the SVGs of a page. The same arguments give the same text.
 *
 * @throws Error with the message of Vega-Lite or Vega about a specification that it cannot draw
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
