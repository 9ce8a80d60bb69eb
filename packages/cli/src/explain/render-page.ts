import type { Colors } from "picocolors/types.js";

const width = 100;

/** Renders a Markdown page for the terminal: the subset that our pages use. */
export const renderPage = (markdown: string, colors: Colors): string => {
  const lines: string[] = [];
  const source = markdown.trimEnd().split("\n");
  for (let i = 0; i < source.length; i++) {
    const line = source[i] ?? "";
    const fence = /^```(\w*) ?(.*)$/.exec(line);
    if (fence !== null) {
      const end = source.indexOf("```", i + 1);
      lines.push(...renderFence(fence[1] ?? "", fence[2] ?? "", source.slice(i + 1, end), colors));
      i = end;
    } else if (line.startsWith("#")) lines.push(colors.bold(line.replace(/^#+ /, "")));
    else lines.push(...wrap(line).map((part) => inline(part, colors)));
  }
  return lines.join("\n");
};

/** A code block: its file's name or a description, then the indented text. */
const renderFence = (
  language: string,
  info: string,
  text: readonly string[],
  colors: Colors,
): readonly string[] => {
  const shown = language === "text" && info === "";
  const file = info.replace(/^(wrong|fixed) ?/, "");
  const side = info.startsWith("wrong") ? "wrong" : info.startsWith("fixed") ? "fixed" : "";
  const name = file || (pipelines.has(language) ? "pipeline.ts" : language);
  const title = language === "cases" ? `${file}, other values:` : side === "" ? name : `${name} (${side})`;
  const paint = shown ? frameLine : (painters[language] ?? ((line: string) => line));
  return [
    ...(shown || title === "" ? [] : [colors.dim(`  ${title}`)]),
    ...text.map((line) => `  ${paint(line, colors)}`.trimEnd()),
  ];
};

const pipelines: ReadonlySet<string> = new Set(["ts", "diff"]);

/** Colors of a patch; a line with `@@` starts a new hunk. */
const patchLine = (line: string, colors: Colors): string => {
  if (line === "@@") return colors.dim("…");
  if (line.startsWith("-")) return colors.red(line);
  return line.startsWith("+") ? colors.green(line) : line;
};

/** Colors of a case: `✓` is valid, `✗` reports the page's code with the text below it, `~` reports only other codes. */
const caseLine = (line: string, colors: Colors): string => {
  if (line.startsWith("✓")) return colors.green("✓") + line.slice(1);
  if (line.startsWith("✗")) return colors.red("✗") + line.slice(1);
  if (line.startsWith("~")) return line;
  return line.replace(/^( +)\^/, (_, indent: string) => indent + colors.red("^"));
};

const painters: Readonly<Record<string, (line: string, colors: Colors) => string>> = {
  diff: patchLine,
  cases: caseLine,
};

/** Colors for the frames of a diagnostic. */
const frameLine = (line: string, colors: Colors): string => {
  const head = /^(error|warning)(\[[^\]]+\])(.*)$/.exec(line);
  if (head !== null) {
    const paint = head[1] === "error" ? colors.red : colors.yellow;
    return `${paint(colors.bold(`${head[1]}${head[2]}`))}${colors.bold(head[3] ?? "")}`;
  }
  const marks = /^(\s*│\s+)([\^-]+.*)$/.exec(line);
  if (marks !== null) {
    const paint = marks[2]?.startsWith("^") ? colors.red : colors.cyan;
    return `${colors.dim(marks[1] ?? "")}${paint(marks[2] ?? "")}`;
  }
  return line.replace(
    /^(\s*= )(help)(?=:)/,
    (_, before: string, word: string) => before + colors.green(word),
  );
};

/** Renders code and links. Links in pages lead to other pages; their text is the code. */
const inline = (text: string, colors: Colors): string =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, (_, title: string) => title)
    .replaceAll(/`([^`]+)`/g, (code) => (colors.isColorSupported ? colors.cyan(code.slice(1, -1)) : code));

/** Breaks a paragraph between words; `first` precedes its first line, and `rest` precedes the other lines. */
export const wrap = (text: string, first = "", rest: string = first): readonly string[] => {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(" ")) {
    if (!empty && line.length + word.length + 1 > width) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
};
