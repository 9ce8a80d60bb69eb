import { drawPlot } from "./draw-plot.ts";
import { escapeHtml } from "./escape-html.ts";
import type { Block, Cell, Column, Tone } from "./report.ts";

/** Generates the names that must be unique within a page. */
export type NextId = () => string;

type Renderers = {
  readonly [Kind in Exclude<Block, string>["kind"]]: (
    block: Extract<Block, { readonly kind: Kind }>,
    nextId: NextId,
  ) => string | Promise<string>;
};

/** HTML of one block. @throws Error when a plot cannot be drawn, with the plot's title */
export const renderBlock = async (block: Block, nextId: NextId): Promise<string> =>
  typeof block === "string"
    ? `<p>${escapeHtml(block)}</p>`
    : await (renderers[block.kind] as (block: Block, nextId: NextId) => string | Promise<string>)(
        block,
        nextId,
      );

/** HTML of blocks, in order. */
export const renderBlocks = async (blocks: readonly Block[], nextId: NextId): Promise<string> => {
  const texts: string[] = [];
  for (const block of blocks) texts.push(await renderBlock(block, nextId));
  return texts.join("\n");
};

/** A tone's symbol, so that its meaning does not depend on color alone. */
const marks: Readonly<Record<Tone, string>> = { good: "✓ ", warn: "! ", bad: "✗ ", quiet: "" };

/** A sentence in a box. */
export const renderNotice = (tone: Tone, text: string): string =>
  `<p class="notice ${tone}"><strong>${marks[tone]}</strong><span>${escapeHtml(text)}</span></p>`;

const renderers: Renderers = {
  notice: ({ tone, text }) => renderNotice(tone, text),
  code: ({ text }) => `<pre><code>${escapeHtml(text)}</code></pre>`,
  facts: ({ facts }) =>
    `<dl class="facts">\n${facts
      .map(
        ({ label, value, note, tone }) =>
          `<div><dt>${escapeHtml(label)}</dt><dd${tone === undefined ? "" : ` class="${tone}"`}>${escapeHtml(
            (tone === undefined ? "" : marks[tone]) + value,
          )}</dd>${note === undefined ? "" : `<dd class="note">${escapeHtml(note)}</dd>`}</div>`,
      )
      .join("\n")}\n</dl>`,
  table: ({ caption, columns, rows }) =>
    [
      '<div class="scroll"><table>',
      ...(caption === undefined ? [] : [`<caption>${escapeHtml(caption)}</caption>`]),
      `<thead><tr>${columns.map((column) => `<th scope="col"${classOf(column)}>${escapeHtml(typeof column === "string" ? column : column.figures)}</th>`).join("")}</tr></thead>`,
      "<tbody>",
      ...rows.map(
        (row) => `<tr>${columns.map((column, index) => renderCell(column, row[index] ?? "")).join("")}</tr>`,
      ),
      "</tbody>",
      "</table></div>",
    ].join("\n"),
  plot: async ({ title, description, spec, caption }, nextId) => {
    const id = nextId();
    const svg = await drawPlot(spec, id).catch((error: unknown) => {
      throw new Error(`the plot "${title}" cannot be drawn`, { cause: error });
    });
    const labelled = svg.replace("<svg ", `<svg role="img" aria-label="${escapeHtml(description)}" `);
    const below = caption === undefined ? "" : `\n<figcaption>${escapeHtml(caption)}</figcaption>`;
    return `<figure>\n<h3>${escapeHtml(title)}</h3>\n${labelled}${below}\n</figure>`;
  },
  details: async ({ summary, blocks }, nextId) =>
    `<details>\n<summary>${escapeHtml(summary)}</summary>\n${await renderBlocks(blocks, nextId)}\n</details>`,
  columns: async ({ blocks }, nextId) => {
    const texts: string[] = [];
    for (const block of blocks) texts.push(`<div>\n${await renderBlock(block, nextId)}\n</div>`);
    return `<div class="columns">\n${texts.join("\n")}\n</div>`;
  },
};

/**
 * A cell with more characters than this keeps a readable width in a narrow window; its table then scrolls.
 */
const longText = 32;

const classOf = (column: Column): string => (typeof column === "string" ? "" : ' class="right"');

const renderCell = (column: Column, cell: Cell): string => {
  const { text, tone, share } =
    typeof cell === "string" ? { text: cell } : { tone: undefined, share: undefined, ...cell };
  const names = [
    ...(typeof column !== "string" ? ["right"] : text.length > longText ? ["long"] : []),
    ...(tone === undefined ? [] : [tone]),
  ];
  const attributes = names.length === 0 ? "" : ` class="${names.join(" ")}"`;
  const bar =
    share === undefined
      ? ""
      : ` style="background: linear-gradient(to right, var(--bar) ${percent(share)}, transparent ${percent(share)})"`;
  return `<td${attributes}${bar}>${escapeHtml((tone === undefined ? "" : marks[tone]) + text)}</td>`;
};

const percent = (share: number): string => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
