import { escapeHtml } from "./escape-html.ts";
import { pageStyle } from "./page-style.ts";
import { renderBlocks, renderNotice } from "./render-block.ts";
import type { Report } from "./report.ts";

/**
 * One self-contained HTML document: it includes styles and SVG, has no scripts, and its content security
 * policy blocks all fetches. The same report gives the same text.
 * @throws Error when Vega-Lite cannot draw a plot; its message names the plot, and its `cause` is Vega's error
 */
export const renderReport = async (report: Report): Promise<string> => {
  const { title, subtitle, verdict, sections, footer } = report;
  let ids = 0;
  const nextId = (): string => `plot-${++ids}`;
  const bodies: string[] = [];
  for (const [index, section] of sections.entries())
    bodies.push(
      `<section id="section-${index + 1}">\n<h2>${escapeHtml(section.title)}</h2>\n${await renderBlocks(section.blocks, nextId)}\n</section>`,
    );
  const html = `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escapeHtml(title)}</title>`,
    `<style>\n${pageStyle}\n</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1>${escapeHtml(title)}</h1>`,
    ...(subtitle === undefined ? [] : [`<p class="quiet">${escapeHtml(subtitle)}</p>`]),
    ...(verdict === undefined ? [] : [renderNotice(verdict.tone, verdict.text)]),
    ...(sections.length > 1 ? [contents(report)] : []),
    "</header>",
    "<main>",
    ...bodies,
    "</main>",
    ...(footer === undefined ? [] : [`<footer>${escapeHtml(footer)}</footer>`]),
    "</body>",
    "</html>",
  ].join("\n")}\n`;
  return html.replaceAll(refused, "\ufffd");
};

/** Characters that are not allowed in HTML. */
// oxlint-disable-next-line no-control-regex
const refused = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;

const contents = ({ sections }: Report): string =>
  `<nav aria-label="Sections"><ul>${sections
    .map(({ title }, index) => `<li><a href="#section-${index + 1}">${escapeHtml(title)}</a></li>`)
    .join("")}</ul></nav>`;
