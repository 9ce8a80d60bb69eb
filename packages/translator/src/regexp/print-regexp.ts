import { type CodeSet, complement, digits, sameSet, within, wordCharacters } from "./code-set.ts";
import { Refused } from "./refused.ts";
import type { RegExpMode, RegExpTree } from "./regexp-tree.ts";
import { wordsOf } from "./words-of.ts";

const high = String.raw`[\ud800-\udbff]`;
const low = String.raw`[\udc00-\udfff]`;
const noLineEnd = String.raw`[^\n\r\u2028\u2029]`;

/** Prints a Python pattern over UTF-16 units, to be compiled with `re.A` (and `re.I` if case is ignored). */
export const printRegExp = (tree: RegExpTree, mode: RegExpMode): string => {
  switch (tree.kind) {
    case "character":
      return tree.code > 0xffff || (mode.unicode && isSurrogate(tree.code))
        ? printSet([[tree.code, tree.code]], mode)
        : printCharacter(tree.code);
    case "set":
      return printSet(tree.set, mode);
    case "sequence":
      return tree.items.map((item) => printItem(item, mode)).join("");
    case "alternatives":
      return tree.items.map((item) => printRegExp(item, mode)).join("|");
    case "group":
      return `(?:${printRegExp(tree.body, mode)})`;
    case "capture":
      return `(${tree.name === undefined ? "" : `?P<${tree.name}>`}${printRegExp(tree.body, mode)})`;
    case "repeat":
      return printAtom(tree.body, mode) + printCount(tree.least, tree.most) + (tree.lazy ? "?" : "");
    case "look":
      return printLook(tree, mode);
    case "assertion":
      return printAssertion(tree.what, mode);
    default:
      return `(?:\\${tree.to})`;
  }
};

const printItem = (tree: RegExpTree, mode: RegExpMode): string =>
  tree.kind === "alternatives" ? `(?:${printRegExp(tree, mode)})` : printRegExp(tree, mode);

/** Prints the operand of a quantifier as one character, class, escape or group. */
const printAtom = (tree: RegExpTree, mode: RegExpMode): string => {
  const text = printRegExp(tree, mode);
  const isOne = /^(?:[^\\]|\\(?:[^u]|u[0-9a-f]{4})|\[(?:\\.|[^\]\\])*\])$/.test(text);
  return isOne || tree.kind === "group" || tree.kind === "capture" ? text : `(?:${text})`;
};

const printCount = (least: number, most: number): string => {
  if (least === 0 && most === 1) return "?";
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? "*" : least === 1 ? "+" : `{${least},}`;
  return least === most ? `{${least}}` : `{${least},${most}}`;
};

/** Prints a lookaround. Python's lookbehind needs a fixed length, so alternatives of different lengths become several assertions. */
const printLook = (
  { ahead, negative, body, at }: Extract<RegExpTree, { kind: "look" }>,
  mode: RegExpMode,
): string => {
  if (ahead) return `(?${negative ? "!" : "="}${printRegExp(body, mode)})`;
  const options = body.kind === "alternatives" ? body.items : [body];
  const widths = options.map((option) => widthOf(option, mode));
  if (widths.includes(undefined))
    throw new Refused(at, "a lookbehind of variable length", "a group for it, and the rest after it");
  const each = options.map((option) => `(?<${negative ? "!" : "="}${printRegExp(option, mode)})`);
  return negative ? each.join("") : each.length === 1 ? (each[0] ?? "") : `(?:${each.join("|")})`;
};

const printAssertion = (
  what: Extract<RegExpTree, { kind: "assertion" }>["what"],
  mode: RegExpMode,
): string => {
  const { multiline } = mode;
  const words = wordsOf(mode);
  switch (what) {
    case "start":
      return multiline ? `(?<!${noLineEnd})` : "^";
    case "end":
      return multiline ? `(?!${noLineEnd})` : String.raw`\Z`;
    case "word-bound":
      return sameSet(words, wordCharacters) ? String.raw`\b` : wordBound(printClass(words, mode));
    // Python's own \B does not match in an empty string.
    default:
      return sameSet(words, wordCharacters)
        ? String.raw`(?!\b)`
        : `(?!${wordBound(printClass(words, mode))})`;
  }
};

const wordBound = (word: string): string => `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;

/** Number of units that the tree consumes; undefined if it depends on the text. */
const widthOf = (tree: RegExpTree, mode: RegExpMode): number | undefined => {
  const same = (widths: readonly (number | undefined)[]): number | undefined =>
    widths.every((width) => width === widths[0]) ? widths[0] : undefined;
  switch (tree.kind) {
    case "character":
      return tree.code > 0xffff ? 2 : 1;
    case "set": {
      const beyond = within(tree.set, 0x10000, 0x10ffff).length > 0;
      return mode.unicode && beyond ? (within(tree.set, 0, 0xffff).length > 0 ? undefined : 2) : 1;
    }
    case "sequence":
      return tree.items.reduce<number | undefined>((sum, item) => {
        const width = widthOf(item, mode);
        return sum === undefined || width === undefined ? undefined : sum + width;
      }, 0);
    case "alternatives":
      return same(tree.items.map((item) => widthOf(item, mode)));
    case "group":
    case "capture":
      return widthOf(tree.body, mode);
    case "repeat": {
      const width = widthOf(tree.body, mode);
      return width === undefined || tree.least !== tree.most ? undefined : width * tree.least;
    }
    case "look":
    case "assertion":
      return 0;
    default:
      return undefined;
  }
};

const printSet = (set: CodeSet, mode: RegExpMode): string => {
  if (!mode.unicode) return printClass(set, mode);
  const plain = [...within(set, 0, 0xd7ff), ...within(set, 0xe000, 0xffff)];
  const lead = within(set, 0xd800, 0xdbff);
  const trail = within(set, 0xdc00, 0xdfff);
  const beyond = within(set, 0x10000, 0x10ffff);
  const parts = [
    ...(plain.length > 0 ? [printClass(plain, mode)] : []),
    ...printPairs(beyond),
    ...(lead.length > 0 ? [`${printClass(lead, mode)}(?!${low})`] : []),
    ...(trail.length > 0 ? [`(?<!${high})${printClass(trail, mode)}`] : []),
  ];
  if (parts.length === 0) return "(?!)";
  return parts.length === 1 ? (parts[0] ?? "") : `(?:${parts.join("|")})`;
};

/** Code points beyond U+FFFF as surrogate pairs: high surrogates with the same low surrogates are grouped. */
const printPairs = (set: CodeSet): readonly string[] => {
  const trailsOf = new Map<number, [number, number][]>();
  for (const [first, last] of set)
    for (let lead = leadOf(first); lead <= leadOf(last); lead++) {
      const from = lead === leadOf(first) ? trailOf(first) : 0xdc00;
      const to = lead === leadOf(last) ? trailOf(last) : 0xdfff;
      trailsOf.set(lead, [...(trailsOf.get(lead) ?? []), [from, to]]);
    }
  const leadsOf = new Map<string, [number, number][]>();
  for (const [lead, trails] of trailsOf) {
    const text = classText(trails);
    const leads = leadsOf.get(text) ?? [];
    const previous = leads.at(-1);
    if (previous?.[1] === lead - 1) previous[1] = lead;
    else leads.push([lead, lead]);
    leadsOf.set(text, leads);
  }
  return [...leadsOf].map(([trails, leads]) => bracketed(classText(leads)) + bracketed(trails));
};

const leadOf = (code: number): number => 0xd800 + ((code - 0x10000) >> 10);
const trailOf = (code: number): number => 0xdc00 + ((code - 0x10000) & 0x3ff);
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
const bracketed = (text: string): string => (/^(?:\\u[0-9a-f]{4})$/.test(text) ? text : `[${text}]`);

/** A class of units, negated if that is shorter. */
const printClass = (set: CodeSet, mode: RegExpMode): string => {
  const rest = complement(set, 0xffff);
  if (set.length === 0) return "(?!)";
  if (rest.length === 0) return String.raw`[\x00-\uffff]`;
  if (sameSet(set, digits)) return String.raw`\d`;
  if (sameSet(rest, digits)) return String.raw`\D`;
  if (sameSet(set, wordCharacters)) return String.raw`\w`;
  if (sameSet(rest, wordCharacters)) return String.raw`\W`;
  const [yes, no] = [set, rest].map((ranges) =>
    classText(mode.ignoreCase ? withoutCapitals(ranges) : ranges),
  );
  const negative = (no ?? "").length < (yes ?? "").length;
  return negative ? `[^${no}]` : `[${yes}]`;
};

/** The set without ASCII capitals, which `re.I` matches by their lower-case letters; the set contains both. */
const withoutCapitals = (set: CodeSet): CodeSet => [...within(set, 0, 0x40), ...within(set, 0x5b, 0x10ffff)];

const classText = (set: CodeSet): string =>
  set
    .map(([first, last]) => {
      if (first === last) return printMember(first);
      return printMember(first) + (last === first + 1 ? "" : "-") + printMember(last);
    })
    .join("");

const printMember = (code: number): string =>
  /[\\\]^[&~|-]/.test(String.fromCharCode(code)) ? `\\${String.fromCharCode(code)}` : printUnit(code);

const printCharacter = (code: number): string =>
  /[\\^$.*+?()[\]{}|]/.test(String.fromCharCode(code)) ? `\\${String.fromCharCode(code)}` : printUnit(code);

const escapes: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r" };

/** Letters and printable ASCII are written literally, and everything else by its number. */
const printUnit = (code: number): string => {
  const unit = String.fromCharCode(code);
  if (/^[\x20-\x7e\p{L}]$/u.test(unit)) return unit;
  const hex = code.toString(16);
  return escapes[code] ?? (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`);
};
