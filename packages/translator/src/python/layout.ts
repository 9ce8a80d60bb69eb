/** Text with possible line breaks: a group is printed on one line if it fits, otherwise with one item per line. */
export type Layout = string | readonly Layout[] | Group;

interface Group {
  readonly open: string;
  readonly items: readonly Layout[];
  readonly close: string;
  /** The separator between items. A space in the separator is dropped at the end of a line. */
  readonly between: ", " | " ";
  /** Whether a single item is followed by a comma, as in a tuple. */
  readonly single: boolean;
}

/** Prints a layout on one line. */
export const flat = (layout: Layout): string => {
  if (typeof layout === "string") return layout;
  if (isMany(layout)) return layout.map(flat).join("");
  const { open, items, close, between, single } = layout;
  return `${open}${items.map(flat).join(between)}${single && items.length === 1 ? "," : ""}${close}`;
};

/** Prints a layout, with line breaks where a line would exceed `width`. `indent`: spaces before every line except the first. */
export const layOut = (layout: Layout, width: number, indent: number, column: number): string => {
  if (typeof layout === "string") return layout;
  if (!isMany(layout)) return layOutGroup(layout, width, indent, column);
  let text = "";
  for (const [at, part] of layout.entries()) {
    const rest = lead(layout.slice(at + 1));
    const here = text.includes("\n") ? text.length - text.lastIndexOf("\n") - 1 : column + text.length;
    text += layOut(part, width - rest, indent, here);
  }
  return text;
};

const layOutGroup = (group: Group, width: number, indent: number, column: number): string => {
  const line = flat(group);
  if (column + line.length <= width || group.items.length === 0) return line;
  const inner = " ".repeat(indent + 4);
  const items = group.items.map((item) => `${inner}${layOut(item, width - 1, indent + 4, indent + 4)}`);
  const comma = group.between.trim();
  return `${group.open}\n${items.join(`${comma}\n`)}${comma}\n${" ".repeat(indent)}${group.close}`;
};

/** Number of characters before the first possible line break. */
const lead = (parts: readonly Layout[]): number => {
  let length = 0;
  for (const part of parts) {
    if (typeof part === "string") length += part.length;
    else if (isMany(part)) return length + lead(part);
    else return length + part.open.length;
  }
  return length;
};

const isMany = (layout: Layout): layout is readonly Layout[] => Array.isArray(layout);
