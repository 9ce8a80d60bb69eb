import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@lezer/python";
import { compileFault } from "./compile-fault.ts";
import { indentationFault } from "./indentation.ts";
import { readBlock } from "./read-statements.ts";
import type { PythonModule } from "../syntax.ts";

/** The result of reading a file: a tree, a position at which the file is certainly not Python 3, or "unclear". */
export type PythonFile =
  | { readonly kind: "module"; readonly module: PythonModule }
  | { readonly kind: "broken"; readonly from: number }
  | { readonly kind: "unclear" };

/**
 * Reads Python 3. The grammar of `@lezer/python` lacks a few forms (`1.`, a bare `yield`, `with f() as (a, b)`, `case
 * int():`, …): the first two forms are replaced before parsing. If an error may come from one of the others, the file
 * is "unclear", not "broken".
 */
export const readPython = (text: string): PythonFile => {
  if (text.includes("\0")) return { kind: "broken", from: text.indexOf("\0") };
  const tree = parse(withStandIns(text));
  if (tree === undefined || isDeep(tree)) return { kind: "unclear" };
  const error = firstError(tree, text);
  if (error === undefined) {
    const fault = indentationFault(tree, text) ?? compileFault(tree, text);
    return fault === undefined
      ? { kind: "module", module: { body: readBlock(tree.topNode, text) } }
      : { kind: "broken", from: fault };
  }
  return isDoubtful(text, error) ? { kind: "unclear" } : { kind: "broken", from: withinText(error, text) };
};

/** Code missing at the end of a file is reported right after the last statement, not below comments. */
const withinText = (error: number, text: string): number => {
  let end = text.length;
  for (let start = end; start > 0; end = start) {
    start = text.lastIndexOf("\n", end - 2) + 1;
    const line = text.slice(start, end).trimStart();
    if (line !== "" && !line.startsWith("#")) break;
  }
  return error < end ? error : Math.max(0, text.slice(0, end).trimEnd().length - 1);
};

/**
 * undefined for code nested so deeply that the parser's own recursion overflows the stack; the limit differs from run
 * to run.
 */
const parse = (text: string): Tree | undefined => {
  try {
    return parser.parse(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** Keeps the length, so that positions stay the same. */
const withStandIns = (text: string): string =>
  text
    .replaceAll(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/g, "$10")
    .replaceAll(/\byield(?=[ \t]*(?:[)\]\r\n#]|$))/g, "_____")
    .replaceAll(/\f(?=[ \t\r]*\n)/g, " ")
    .replace(/^\uFEFF/, " ");

/** Whether a tree is too deep for the recursive functions that walk it. */
const isDeep = (tree: Tree): boolean => {
  let [depth, deepest] = [0, 0];
  tree.iterate({
    enter: () => {
      depth += 1;
      deepest = Math.max(deepest, depth);
    },
    leave: () => {
      depth -= 1;
    },
  });
  return deepest > 500;
};

const firstError = (tree: Tree, text: string): number | undefined => {
  let found: number | undefined;
  tree.iterate({
    enter: (node) => {
      if (found !== undefined) return false;
      if (node.type.isError || isPython2(node.node, text) || isUnclosed(node.node, text)) found = node.from;
      return found === undefined;
    },
  });
  return found;
};

/** `print "x"`; the grammar also accepts Python 2. */
const isPython2 = (node: SyntaxNode, text: string): boolean =>
  node.name === "PrintStatement" && /^print\s+["'\w]/.test(text.slice(node.from, node.to));

const isUnclosed = ({ name, from, to }: SyntaxNode, text: string): boolean => {
  if (name !== "String" && name !== "FormatString") return false;
  const [whole = "", quote = ""] = /^[a-z]*("""|'''|"|')/i.exec(text.slice(from, to)) ?? [];
  return to - from < whole.length + quote.length || !text.startsWith(quote, to - quote.length);
};

const forms =
  /\b(?:with|case|match|lambda|type|yield|exec|except\s*\*)\b|\bfor\b[^\n]*\*|\b(?:rf|fr)["']|[[,(]\s*\*|print\s*(?:>>|[^\s\w("'])|0[lL]\b|\f|\\\r?\n/i;

/** Whether a form that the grammar lacks is nearby. */
const isDoubtful = (text: string, error: number): boolean => {
  let start = error;
  for (let line = 0; line < 4 && start >= 0; line += 1) start = text.lastIndexOf("\n", start - 1);
  const end = text.indexOf("\n", error);
  return forms.test(text.slice(Math.max(start, 0), end < 0 ? text.length : end));
};
