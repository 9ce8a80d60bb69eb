import type { Expression } from "../ir/code.ts";
import type { Variable } from "../ir/variable.ts";
import { isSame } from "../ir/walk.ts";

/** A fact that is known to hold in a part of the code. */
export type Guard =
  | { readonly kind: "own"; readonly object: Expression; readonly key: Expression }
  /** `index + reach` is a valid index of `object`, and `index` is at least `low`. */
  | {
      readonly kind: "index";
      readonly object: Expression;
      readonly index: Variable;
      readonly low: number;
      readonly reach: number;
    };

/** The facts that are known at the code that is being lowered. */
export interface Guards {
  readonly within: <T>(guards: readonly Guard[], lower: () => T) => T;
  /** The facts that a test implies if it holds (or if it does not). */
  readonly from: (test: Expression, holds: boolean) => readonly Guard[];
  readonly hasOwn: (object: Expression, key: Expression) => boolean;
  readonly isProven: (object: Expression, index: Expression) => boolean;
}

export const newGuards = (): Guards => {
  let known: readonly Guard[] = [];
  return {
    within(guards, lower) {
      const outer = known;
      known = [...known, ...guards];
      const made = lower();
      known = outer;
      return made;
    },
    from: guardsFrom,
    hasOwn: (object, key) =>
      known.some((guard) => guard.kind === "own" && isSame(guard.object, object) && isSame(guard.key, key)),
    isProven(object, index) {
      const { base, offset } = split(index);
      if (base?.kind !== "variable") return false;
      return known.some(
        (guard) =>
          guard.kind === "index" &&
          guard.index === base.variable &&
          isSame(guard.object, object) &&
          offset <= guard.reach &&
          guard.low + offset >= 0,
      );
    },
  };
};

/** Splits `i + 2` into `i` and 2. */
export const split = (
  index: Expression,
): { readonly base: Expression | undefined; readonly offset: number } => {
  if (
    index.kind === "binary" &&
    (index.operator === "+" || index.operator === "-") &&
    index.right.kind === "number"
  )
    return { base: index.left, offset: index.operator === "+" ? index.right.value : -index.right.value };
  return { base: index, offset: 0 };
};

const guardsFrom = (test: Expression, holds: boolean): readonly Guard[] => {
  if (test.kind === "unary" && test.operator === "!") return guardsFrom(test.operand, !holds);
  if (test.kind === "logical" && test.operator === (holds ? "&&" : "||"))
    return [...guardsFrom(test.left, holds), ...guardsFrom(test.right, holds)];
  if (holds && test.kind === "invocation" && test.row === "Object.hasOwn") {
    const [object, key] = test.args;
    if (object !== undefined && key !== undefined)
      return [{ kind: "own", object: object.value, key: key.value }];
  }
  return [];
};
