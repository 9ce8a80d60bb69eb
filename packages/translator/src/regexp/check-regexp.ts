import { caseClosure } from "./case-closure.ts";
import { type CodeSet, sameSet, within } from "./code-set.ts";
import { Refused } from "./refused.ts";
import type { RegExpMode, RegExpTree } from "./regexp-tree.ts";

/** Throws `Refused` for constructs that Python would match differently. */
export const checkRegExp = (tree: RegExpTree, mode: RegExpMode): void => {
  const set = new Set<number>();
  visit(tree, { inRepeat: false, inLook: undefined, set, mode, captures: new Map() });
};

/** Whether the tree can match without consuming a character. `captures`: the groups that references in it refer to. */
export const isNullable = (tree: RegExpTree, captures: Surroundings["captures"] = new Map()): boolean => {
  const each = (inner: RegExpTree): boolean => isNullable(inner, captures);
  switch (tree.kind) {
    case "character":
    case "set":
      return false;
    case "sequence":
      return tree.items.every(each);
    case "alternatives":
      return tree.items.some(each);
    case "group":
    case "capture":
      return each(tree.body);
    case "repeat":
      return tree.least === 0 || each(tree.body);
    case "reference": {
      const body = captures.get(tree.to);
      return body === undefined || each(body);
    }
    default:
      return true;
  }
};

/** Whether the tree never consumes a character. */
export const isEmpty = (tree: RegExpTree): boolean => {
  switch (tree.kind) {
    case "look":
    case "assertion":
      return true;
    case "sequence":
    case "alternatives":
      return tree.items.every(isEmpty);
    case "group":
    case "capture":
      return isEmpty(tree.body);
    default:
      return false;
  }
};

/** The tree without capturing groups; the tree itself if it refers to one. */
export const withoutCaptures = (tree: RegExpTree): RegExpTree => {
  let refers = false;
  const visit = (inner: RegExpTree): RegExpTree => {
    switch (inner.kind) {
      case "capture":
        return { kind: "group", body: visit(inner.body) };
      case "sequence":
      case "alternatives":
        return { ...inner, items: inner.items.map(visit) };
      case "group":
      case "repeat":
      case "look":
        return { ...inner, body: visit(inner.body) };
      case "reference":
        refers = true;
        return inner;
      default:
        return inner;
    }
  };
  const made = visit(tree);
  return refers ? tree : made;
};

interface Surroundings {
  readonly inRepeat: boolean;
  readonly inLook: "behind" | "not" | undefined;
  /** Groups that have matched whenever this place is reached. */
  readonly set: Set<number>;
  readonly mode: RegExpMode;
  /** The groups further left. */
  readonly captures: Map<number, RegExpTree>;
}

const visit = (tree: RegExpTree, around: Surroundings): void => {
  switch (tree.kind) {
    case "character":
    case "set":
    case "assertion":
      return;
    case "sequence":
      for (const item of tree.items) visit(item, around);
      return;
    case "alternatives":
      for (const item of tree.items) visit(item, { ...around, set: new Set(around.set) });
      return;
    case "group":
      visit(tree.body, around);
      return;
    case "capture":
      checkCapture(tree.at, around);
      visit(tree.body, around);
      around.captures.set(tree.number, tree.body);
      around.set.add(tree.number);
      return;
    case "repeat":
      if (isNullable(tree.body, around.captures))
        throw new Refused(
          tree.at,
          "a repetition of a part that may be empty",
          "a repetition of a part that is not empty",
        );
      visit(tree.body, {
        ...around,
        inRepeat: around.inRepeat || tree.most > 1,
        set: tree.least > 0 ? around.set : new Set(around.set),
      });
      return;
    case "look":
      visit(tree.body, {
        ...around,
        inLook: tree.negative ? "not" : tree.ahead ? around.inLook : "behind",
        set: tree.negative ? new Set(around.set) : around.set,
      });
      return;
    case "reference":
      checkReference(tree, around);
  }
};

const checkCapture = (at: number, { inRepeat, inLook }: Surroundings): void => {
  if (inRepeat)
    throw new Refused(
      at,
      "a capturing group inside a repetition: Python keeps the text of an earlier repetition",
      "`(?:…)` if you do not need the text of the group",
    );
  if (inLook !== undefined)
    throw new Refused(
      at,
      "a capturing group inside `(?<=…)`, `(?!…)` or `(?<!…)`",
      "`(?:…)` if you do not need the text of the group",
    );
};

const checkReference = (
  { to, at }: Extract<RegExpTree, { kind: "reference" }>,
  { set, mode, inLook, captures }: Surroundings,
): void => {
  if (!set.has(to) || inLook === "behind")
    throw new Refused(
      at,
      "a reference to a group that may be empty: it matches in JavaScript and fails in Python",
      "a group that always matches before its reference",
    );
  const body = captures.get(to);
  if ((mode.ignoreCase || mode.unicode) && (body === undefined || !comparesAlike(body, mode, captures)))
    throw new Refused(
      at,
      mode.ignoreCase
        ? "a reference with flag `i` to a group that may contain non-ASCII letters"
        : "a reference with flag `u` to a group that may contain half of a surrogate pair",
      "a group of ASCII characters, such as `(\\w+)`, or two groups and a comparison of them",
    );
};

/** Whether Python compares each character of the tree as JavaScript does. Python ignores case only in ASCII. */
const comparesAlike = (
  tree: RegExpTree,
  mode: RegExpMode,
  captures: ReadonlyMap<number, RegExpTree>,
): boolean => {
  const each = (inner: RegExpTree): boolean => comparesAlike(inner, mode, captures);
  switch (tree.kind) {
    case "character":
      return isAlike([[tree.code, tree.code]], mode);
    case "set":
      return isAlike(tree.set, mode);
    case "sequence":
    case "alternatives":
      return tree.items.every(each);
    case "group":
    case "capture":
    case "repeat":
      return each(tree.body);
    case "reference": {
      const body = captures.get(tree.to);
      return body !== undefined && each(body);
    }
    default:
      return true;
  }
};

const isAlike = (set: CodeSet, { ignoreCase, unicode }: RegExpMode): boolean => {
  if (unicode && within(set, 0xd800, 0xdfff).length + within(set, 0x10000, 0x10ffff).length > 0) return false;
  if (!ignoreCase) return true;
  const beyond = within(set, 0x80, 0x10ffff);
  return beyond.length === 0 && sameSet(within(caseClosure(set, unicode), 0x80, 0x10ffff), beyond);
};
