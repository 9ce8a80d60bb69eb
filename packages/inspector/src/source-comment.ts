/** Maximum number of characters. */
const longest = 600;
/** Number of characters of a comment that are read. */
const longestRead = 20_000;

/** `export const name: Type =`; a type can contain `=>`. */
const beginning = String.raw`(?:export\s+)?(?:const|let|var)\s+(?:[\w$]+|\{[^{}]*\}|\[[^[\]]*\])\s*(?::[^=]*(?:=>[^=]*)*)?=(?!>)\s*`;
/** The beginning of a declaration and of the call that makes a step or an ensemble, on the same line. */
const declaration = new RegExp(
  String.raw`^\s*(?:${beginning}|export\s+default\s+|return\s+|[\w$]+\s*:\s*)?(?:await\s+)?(?!(?:async|function)\b)[\w$.]+\s*[(<]`,
);
/** A line that ends before the call. */
const begun = new RegExp(String.raw`^\s*${beginning}$`);
const directive = /^\/\/\/|^\/\/\s*(?:@ts-|biome-|oxlint-|eslint-|prettier-|#)/;

/**
 * The comment directly above a declaration in TypeScript, as plain text without tags. Paragraphs are separated by an
 * empty line.
 * @param source The lines of the file.
 * @param line The line, from 1, on which the declared call begins.
 */
export const commentAbove = (source: readonly string[], line: number): string | undefined => {
  const lines = source.slice(0, line);
  if (lines.length < line || !declaration.test(lines.pop() ?? "")) return undefined;
  if (begun.test(lines.at(-1) ?? "")) lines.pop();
  const before = (): string => lines.at(-1)?.trim() ?? "";
  while (directive.test(before())) lines.pop();
  if (!before().endsWith("*/")) {
    const from = lines.findLastIndex((one) => !/^\s*\/\//.test(one)) + 1;
    const own = lines.slice(from).map((one) => one.trim());
    return plain(own.flatMap((one) => (directive.test(one) ? [] : [one.slice(2)])).join("\n"));
  }
  const start = lines.findLastIndex((one) => /^\s*\/\*/.test(one));
  const text = start < 0 ? "" : lines.slice(start).join("\n").trim();
  // The comment that ends above the declaration may begin after code.
  if (text.indexOf("*/", 2) !== text.length - 2) return undefined;
  const inner = text.slice(2, -2).slice(0, longestRead);
  const body = inner
    .replace(/^\*+/, "")
    .replace(/(?<!\*)\*+$/, "")
    .split("\n");
  return plain(untagged(body.map((one) => one.replace(/^\s*\*/, "")).join("\n")));
};

const untagged = (comment: string): string => {
  const [text = ""] = comment.split(/(?:^|\n)[ \t]*@[a-z]|[ \t]@(?:param|returns?|throws)\b/i);
  return text.replaceAll(/\{@\w+\s([^{}]*)\}/g, (whole: string, link: string) => {
    const [, target, label] = /^([^\s|]+)[\s|]*([^]*)$/.exec(link.trim()) ?? [];
    return label || target || whole;
  });
};

/** The comment that NVIDIA's examples have, which many models keep. */
const template = "Your Python model must use the same class name";

/** The docstring of the class of a `model.py` or of the module. */
export const docstringOf = (python: string): string | undefined => {
  const quoted = String.raw`[rR]?(?:"""([^]*?)"""|'''([^]*?)''')`;
  const ofClass = new RegExp(String.raw`^class TritonPythonModel\b[^\n]*:\s*${quoted}`, "m").exec(python);
  const ofModule = new RegExp(String.raw`^(?:[ \t]*(?:#[^\n]*)?\n)*${quoted}`).exec(python);
  return [ofClass, ofModule]
    .map((found) => plain(found?.[1] ?? found?.[2] ?? ""))
    .find((text) => text !== undefined && !text.startsWith(template));
};

/** Joins the lines of each paragraph; undefined if no paragraph contains a letter. */
const plain = (comment: string): string | undefined => {
  const paragraphs = comment
    .slice(0, longestRead)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .split(/\n{2,}/)
    .map((text) => text.trim().replaceAll(/\s+/g, " "));
  const text = paragraphs.filter((one) => /\p{L}/u.test(one)).join("\n\n");
  if (text.length <= longest) return text === "" ? undefined : text;
  return `${text.slice(0, longest).replace(/\s+\S*$/, "")} …`;
};
