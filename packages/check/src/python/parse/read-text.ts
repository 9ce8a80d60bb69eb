import type { SyntaxNode } from "@lezer/common";
import { childrenOf } from "./tree-access.ts";

/** The value of a string literal, or of adjacent literals joined; undefined for f-strings and bytes. */
export const readText = (node: SyntaxNode, text: string): string | undefined => {
  if (node.name === "FormatString") return undefined;
  if (node.name !== "ContinuedString") return literal(text.slice(node.from, node.to));
  const values = childrenOf(node).map((part) => readText(part, text));
  return values.includes(undefined) ? undefined : values.join("");
};

const literal = (source: string): string | undefined => {
  const [, prefix = "", quote = '"'] = /^([a-z]*)("""|'''|"|')/i.exec(source) ?? [];
  if (/[bft]/i.test(prefix)) return undefined;
  const inner = source.slice(prefix.length + quote.length, -quote.length);
  return /r/i.test(prefix) ? inner : unescape(inner);
};

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "", "0": "\0" };

const unescape = (inner: string): string =>
  inner.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|([^]))/gi,
    (whole, x?: string, u?: string, one?: string) => {
      const code = x ?? u;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      if (one === undefined) return whole;
      return escapes[one] ?? (/["'\\]/.test(one) ? one : whole);
    },
  );
