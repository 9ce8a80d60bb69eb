import type { Tree } from "@lezer/common";

/**
 * The first position where Python refuses the indentation: tabs and spaces that imply different depths, a return to a
 * depth that did not occur before, or a deeper line after a line that does not open a block. The tree gives the
 * positions of strings and comments.
 */
export const indentationFault = (tree: Tree, text: string): number | undefined => {
  // Form feeds and lone carriage returns are counted differently.
  if (/\f|\r(?!\n)|^[ \t]*\\\r?$/m.test(text)) return undefined;
  const masked = withoutLiterals(tree, text);
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const depths: Depth[] = [{ wide: 0, narrow: 0 }];
  let [brackets, continues, opens] = [0, false, false];
  let from = start;
  for (const line of masked.slice(start).split("\n")) {
    const code = line.trim();
    if (brackets === 0 && !continues && code !== "") {
      const indent = line.slice(0, line.length - line.trimStart().length);
      if (!take(depths, depthOf(indent), opens)) return from + indent.length;
    }
    if (code !== "" || continues) {
      for (const sign of code) brackets += "([{".includes(sign) ? 1 : ")]}".includes(sign) ? -1 : 0;
      if (brackets < 0) return undefined;
      continues = code.endsWith("\\");
      opens = code.endsWith(":");
    }
    from += line.length + 1;
  }
  return undefined;
};

/** A line's depth with tab stops every 8 columns, and with one-column tabs: both must agree on which line is deeper. */
interface Depth {
  readonly wide: number;
  readonly narrow: number;
}

const depthOf = (indent: string): Depth => {
  let wide = 0;
  for (const sign of indent) wide = sign === "\t" ? (Math.floor(wide / 8) + 1) * 8 : wide + 1;
  return { wide, narrow: indent.length };
};

/** false if Python refuses a line at this depth. */
const take = (depths: Depth[], depth: Depth, opens: boolean): boolean => {
  const current = (): Depth => depths.at(-1) ?? { wide: 0, narrow: 0 };
  if (depth.wide > current().wide) {
    if (!opens || depth.narrow <= current().narrow) return false;
    depths.push(depth);
    return true;
  }
  while (depth.wide < current().wide) depths.pop();
  return depth.wide === current().wide && depth.narrow === current().narrow;
};

/** Strings become `_`, comments become blanks; all positions stay the same. */
const withoutLiterals = (tree: Tree, text: string): string => {
  let masked = "";
  let last = 0;
  tree.iterate({
    enter: ({ name, from, to }) => {
      const literal = name === "String" || name === "FormatString";
      if (!literal && name !== "Comment") return true;
      masked += text.slice(last, from) + (literal ? "_" : " ").repeat(to - from);
      last = to;
      return false;
    },
  });
  return masked + text.slice(last);
};
