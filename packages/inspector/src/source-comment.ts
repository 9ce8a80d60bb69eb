/** Maximum number of characters. */
const longest = 600;
/** Number of characters of a comment that are read. */
const longestRead = 20_000;

/** The beginning of a declaration before the call that makes a step or an ensemble, on the same line. */
const declaration =
  /^\s*(?:(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]*)?=\s*|export\s+default\s+|return\s+|[\w$]+\s*:\s*)?[\w$.]+\s*[(<]/;
/** A line that ends before the call. */
const begun = /^\s*(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]*)?=\s*$/;
const directive = /^\/\/\/|^\/\/\s*(?:@ts-|biome-|oxlint-|eslint-|prettier-|#)/;

/**
 * The comment directly above a declaration in TypeScript, as plain text without tags. Paragraphs are separated by an
 * empty line. @param line The line, from 1, on which the declared call begins.
 */
export const commentAbove = (source: string, line: number): string | undefined => {
  const lines = source.split(/\r?\n/, line);
  if (lines.length < line || !declaration.test(lines.pop() ?? "")) return undefined;
  if (begun.test(lines.at(-1) ?? "")) lines.pop();
  const before = (): string => lines.at(-1)?.trim() ?? "";
  while (directive.test(before())) lines.pop();
  if (!before().endsWith("*/")) {
    const from = lines.findLastIndex((one) => !/^\s*\/\//.test(one)) + 1;
    const own = lines.slice(from).map((one) => one.trim());
    return plain(own.flatMap((one) => (directive.test(one) ? [] : [one.slice(2)])));
  }
  const start = lines.findLastIndex((one) => one.includes("/*"));
  const text = lines.slice(start).join("\n").trim();
  if (!text.startsWith("/*")) return undefined;
  const body = text.replaceAll(/^\/\*+|\*+\/$/g, "").split("\n");
  return plain(untagged(body.map((one) => one.replace(/^\s*\*/, ""))));
};

const untagged = (lines: readonly string[]): readonly string[] => {
  const [text = ""] = lines
    .join("\n")
    .slice(0, longestRead)
    .split(/(?:^|\n)[ \t]*@[a-z]|[ \t]@(?:param|returns?|throws)\b/i);
  return text
    .replaceAll(/\{@\w+\s+([^\s|}]+)[\s|]*([^}]*)\}/g, (_, target: string, label: string) => label || target)
    .split("\n");
};

/** The comment that NVIDIA's examples have, which many models keep. */
const template = "Your Python model must use the same class name";

/** The docstring of the class of a `model.py` or of the module. */
export const docstringOf = (python: string): string | undefined => {
  const quoted = String.raw`[rR]?(?:"""([^]*?)"""|'''([^]*?)''')`;
  const ofClass = new RegExp(String.raw`^class TritonPythonModel\b[^\n]*:\s*${quoted}`, "m").exec(python);
  const ofModule = new RegExp(String.raw`^(?:[ \t]*(?:#[^\n]*)?\n)*${quoted}`).exec(python);
  return [ofClass, ofModule]
    .map((found) => plain((found?.[1] ?? found?.[2] ?? "").split("\n")))
    .find((text) => text !== undefined && !text.startsWith(template));
};

/** Joins the lines of each paragraph; undefined if nothing has a letter. */
const plain = (lines: readonly string[]): string | undefined => {
  const paragraphs = lines
    .map((line) => line.trim())
    .join("\n")
    .split(/\n{2,}/)
    .map((text) => text.trim().replaceAll(/\s+/g, " "));
  const text = paragraphs.filter((one) => /\p{L}/u.test(one)).join("\n\n");
  if (text.length <= longest) return text === "" ? undefined : text;
  return `${text.slice(0, longest).replace(/\s+\S*$/, "")} …`;
};
