/** A fenced block of a Markdown file. */
export interface Fence {
  readonly language: string;
  /** The text after the language: a mark (`wrong`, `run`) or the name of a file. */
  readonly info: string;
  /** Number of its first line of text, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Every fenced block, in order. */
export const fencesOf = (markdown: string): readonly Fence[] => {
  const fences: Fence[] = [];
  const lines = markdown.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const opening = /^(`{3,})(\w+)? ?(.*)$/.exec(lines[i] ?? "");
    if (opening === null) continue;
    const [, ticks = "", language = "", info = ""] = opening;
    const end = lines.indexOf(ticks, i + 1);
    if (end < 0) throw new Error(`the fence of line ${i + 1} does not end`);
    const text = lines.slice(i + 1, end).map((one) => `${one}\n`);
    fences.push({ language, info, line: i + 2, text: text.join("") });
    i = end;
  }
  return fences;
};

/** The page with the text of one of its fences replaced. */
export const replaceFence = (page: string, { line, text }: Fence, replacement: string): string => {
  const lines = page.split("\n");
  const length = text.split("\n").length - 1;
  return [
    ...lines.slice(0, line - 1),
    ...replacement.trimEnd().split("\n"),
    ...lines.slice(line - 1 + length),
  ].join("\n");
};
