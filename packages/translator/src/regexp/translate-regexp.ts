import { checkRegExp, isEmpty, isNullable, withoutCaptures } from "./check-regexp.ts";
import { printRegExp } from "./print-regexp.ts";
import { readRegExp } from "./read-regexp.ts";
import { Refused, type RegExpRefusal } from "./refused.ts";
import type { RegExpMode, RegExpTree } from "./regexp-tree.ts";

/** A JavaScript regular expression translated to Python. */
export interface TranslatedRegExp {
  readonly kind: "translated";
  /** Pattern over UTF-16 units. No line breaks. */
  readonly pattern: string;
  /** Python's flags for the pattern: always `A`, and `I` if case is ignored. */
  readonly flags: readonly ("A" | "I")[];
  /** `re.compile(r"…", re.A)` */
  readonly python: string;
  /** Whether it can match an empty string, after which `g`, `split` and `replaceAll` advance differently in Python. */
  readonly nullable: boolean;
  /** Whether all its matches are empty, in which case Python advances as JavaScript does. */
  readonly empty: boolean;
  /** The capturing groups from 1 on. */
  readonly groups: readonly RegExpGroup[];
}

export interface RegExpGroup {
  readonly name: string | undefined;
  /** Whether a match may leave the group undefined (None in Python). */
  readonly optional: boolean;
}

/**
 * Translates a JavaScript regular expression to one for Python's `re` that matches the same text, group by group, or
 * returns the reason why this is impossible.
 *
 * @param use "match" if no group is read.
 * @param flags `g` is left to the caller; `d`, `v` and `y` are refused.
 */
export const translateRegExp = (
  source: string,
  flags: string,
  use: "match" | "groups" = "groups",
): TranslatedRegExp | RegExpRefusal => {
  const mode: RegExpMode = {
    ignoreCase: flags.includes("i"),
    multiline: flags.includes("m"),
    dotAll: flags.includes("s"),
    unicode: flags.includes("u"),
  };
  try {
    checkFlags(source, flags);
    const read = readRegExp(source, mode);
    const tree = use === "match" ? withoutCaptures(read) : read;
    checkRegExp(tree, mode);
    const pattern = printRegExp(tree, mode);
    const pythonFlags = mode.ignoreCase ? (["A", "I"] as const) : (["A"] as const);
    return {
      kind: "translated",
      pattern,
      flags: pythonFlags,
      python: `re.compile(${rawLiteral(pattern)}, ${pythonFlags.map((flag) => `re.${flag}`).join(" | ")})`,
      nullable: isNullable(tree),
      empty: isEmpty(tree) && !mode.unicode,
      groups: groupsOf(tree, false),
    };
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
};

const checkFlags = (source: string, flags: string): void => {
  const [odd] = /[^gimsu]/.exec(flags) ?? [];
  if (odd === "y")
    throw new Refused(
      0,
      "flag `y`: matching continues where the last match ended",
      "`matchAll`; or a pattern that starts with `^` for `text.slice(at)`",
    );
  if (odd !== undefined) throw new Refused(0, `flag \`${odd}\``, "the expression without it");
  try {
    RegExp(source, flags);
  } catch (error) {
    throw new Refused(0, (error as Error).message, "a valid regular expression");
  }
};

const groupsOf = (tree: RegExpTree, optional: boolean): readonly RegExpGroup[] => {
  switch (tree.kind) {
    case "sequence":
      return tree.items.flatMap((item) => groupsOf(item, optional));
    case "alternatives":
      return tree.items.flatMap((item) => groupsOf(item, true));
    case "group":
    case "look":
      return groupsOf(tree.body, optional);
    case "capture":
      return [{ name: tree.name, optional }, ...groupsOf(tree.body, optional)];
    case "repeat":
      return groupsOf(tree.body, optional || tree.least === 0);
    default:
      return [];
  }
};

/** A raw Python literal. The literal cannot contain both kinds of quotes, so one kind is escaped. */
const rawLiteral = (pattern: string): string => {
  if (!pattern.includes('"')) return `r"${pattern}"`;
  return pattern.includes("'") ? `r"${pattern.replaceAll('"', String.raw`\x22`)}"` : `r'${pattern}'`;
};
