import type { Names } from "./server-message.ts";

/** A message's words, prepared for searching. */
export interface MessagePattern {
  /** Searches a text for the message; returns the contents of the placeholders and the position. */
  readonly find: (text: string) => { readonly names: Names; readonly index: number } | undefined;
  /** The number of fixed characters: if two messages match, the more specific one is used. */
  readonly weight: number;
  /** The fixed words. */
  readonly words: readonly string[];
}

/** Parses the words of a message, with `{hole}` or `{hole:kind}`. */
export const messagePattern = (says: string): MessagePattern => {
  const parts = says.split(/\{(\w+(?::\w+)?)\}/);
  const literals = parts.filter((_, i) => i % 2 === 0);
  const source = parts
    .map((part, i) => (i % 2 === 0 ? literal(part) : hole(part, parts[i - 1] ?? "", parts[i + 1] ?? "")))
    .join("");
  const pattern = new RegExp(source);
  // Few texts contain all fixed pieces. In all the others, the expression would try every position in vain.
  const pieces = literals.flatMap((text) => text.split(/\s+/)).toSorted((a, b) => b.length - a.length);
  return {
    find(text) {
      if (!pieces.every((piece) => text.includes(piece))) return undefined;
      const match = pattern.exec(text);
      if (match === null) return undefined;
      return { names: { ...match.groups }, index: match.index };
    },
    weight: literals.join("").length,
    words: wordsOf(literals.join(" ")),
  };
};

/** The significant words of a text, without numbers and quoted names. */
export const wordsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .replaceAll(/'[^']*'|"[^"]*"|\[[^\]]*\]|\S*\/\S*/g, " ")
      .toLowerCase()
      .match(/[a-z_]{3,}/g),
  ),
];

const literal = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+");

const kinds: Readonly<Record<string, string>> = {
  n: "-?\\d+(?:\\.\\d+)?",
  shape: "\\[[^\\]\\n]*\\]",
  braces: "\\{[^}\\n]*\\}",
  line: "[^\\n]*",
  rest: "[^]*",
  name: "[\\w.-]+",
  // Not the start of the message of an error that a function threw.
  step: "(?<!(?<!Call)Error: )(?<![\\w.-])[\\w.-]+",
};
/** Triton names an instance `<model>_<group>_<number>`: returns its model if the name has that form. */
const instanceOf = (name: string, after: string): string =>
  after === ""
    ? `(?<${name}>[^\\s'",;]+?)(?:_\\d+_\\d+)?(?=\\.?(?:[\\s'",;]|$))`
    : `(?<${name}>[^'"\\n]+?)(?:_\\d+_\\d+)?`;

const hole = (part: string, before: string, after: string): string => {
  const [name = "", kind] = part.split(":");
  if (kind === "instance") return instanceOf(name, after);
  return `(?<${name}>${kind === undefined ? plain(before, after) : kinds[kind]})`;
};

/** Between quotes, matches anything except a quote. At the end, matches one word; otherwise, as little as possible. */
const plain = (before: string, after: string): string => {
  const quote = before.at(-1) ?? "";
  if ((quote === "'" || quote === '"') && after.startsWith(quote)) return `[^${quote}]{0,1000}`;
  return after === "" ? "[^\\s'\",;]*[^\\s'\",;.]" : "[^\\n]{0,500}?";
};
