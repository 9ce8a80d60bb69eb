import { Refused } from "./refused.ts";
import type { RegExpMode, RegExpTree } from "./regexp-tree.ts";

/** Throws `Refused` for what Python would match, but otherwise. */
export const checkRegExp = (tree: RegExpTree, mode: RegExpMode): void => {
  const set = new Set<number>();
  visit(tree, { inRepeat: false, inLook: undefined, set, mode });
};

/** Whether the tree can match without taking a character. */
export const isNullable = (tree: RegExpTree): boolean => {
  switch (tree.kind) {
    case "character":
    case "set":
      return false;
    case "sequence":
      return tree.items.every(isNullable);
    case "alternatives":
      return tree.items.some(isNullable);
    case "group":
    case "capture":
      return isNullable(tree.body);
    case "repeat":
      return tree.least === 0 || isNullable(tree.body);
    default:
      return true;
  }
};

/** Whether the tree never takes a character. */
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

/** The tree without capturing groups; the same where something refers to one. */
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
  /** Groups that hold a text wherever this place is reached; grows along a sequence. */
  readonly set: Set<number>;
  readonly mode: RegExpMode;
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
      around.set.add(tree.number);
      return;
    case "repeat":
      if (isNullable(tree.body))
        throw new Refused(
          tree.at,
          "repeating what may be empty",
          "a repetition whose body takes a character",
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
      "a capturing group inside a repetition: Python keeps the text of an older round",
      "`(?:…)`, or the repetition inside the group",
    );
  if (inLook !== undefined)
    throw new Refused(at, "a capturing group inside `(?<=…)`, `(?!…)` or `(?<!…)`", "`(?:…)`");
};

const checkReference = (
  { to, at }: Extract<RegExpTree, { kind: "reference" }>,
  { set, mode, inLook }: Surroundings,
): void => {
  if (!set.has(to) || inLook === "behind")
    throw new Refused(
      at,
      "a reference to a group that may hold nothing: it matches in JavaScript and fails in Python",
      "a group that always takes part before its reference",
    );
  if (mode.ignoreCase || mode.unicode)
    throw new Refused(at, "a reference to a group with flag `i` or `u`", "comparing the groups of the match");
};
