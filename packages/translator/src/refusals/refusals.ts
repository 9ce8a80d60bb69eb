import type { Refusal, Span } from "@tritype/core";
import { unknownIn, type ValueType } from "../ir/value-type.ts";

/** Codes of refusals and their default advice. */
export const refusalCodes = {
  "function/not-found": "a function written as `run` of the step, or the name of one in this project",
  "function/syntax": "a supported expression or statement, or a `python` step",
  "function/built-in": "a supported function, or a `python` step",
  "function/any": "a more specific type",
  "function/mixed-kinds": "one kind of value, or narrow it first (`typeof`, `===`)",
  "function/clock": "an input of the step",
  "function/randomness": "an input of the step",
  "function/input-output": "an input of the step, or a `python` step",
  "function/async": "a function without `async` and `await`, or a `python` step",
  "function/package": "your own TypeScript code, a tensor operator, or a `python` step",
  "function/inexact-math": "a tensor operator, or a `python` step",
  "function/locale": "`<` and `===`, which compare UTF-16 units",
  "function/loose-equality": "`===`",
  "function/effect-in-expression": "a separate statement",
  "function/module-variable": "a module-level `const`, or a local variable",
  "function/captured": "a module-level `const`",
  "function/mutated-input": "a copy: `[...list]`, `{ ...record }`, `new Map(map)`",
  "function/inherited-name": "`Object.hasOwn(o, k) ? o[k] : …`, or a `Map`",
  "function/escaping-closure": "a function outside the loop that takes the loop's values as parameters",
  "function/array-hole": "`undefined` in that place",
  "function/iterator": "`[...x]`, or a `for…of` over it",
  "function/regexp": "another pattern, string methods, or a `python` step",
  "function/changed-while-iterated": "a copy to iterate over: `[...x]`",
} as const;
export type RefusalCode = keyof typeof refusalCodes;

/** The text of a refused expression's type. Messages about that type are dropped, because they follow from the refusal. */
export const refusedType = "a refused type";

/** The relation between a refusal and other refusals. */
export interface Causes {
  /** The type that is refused. If it contains a type that another refusal `refuses`, this one follows from that one. */
  readonly of?: ValueType;
  /** Name of the type of all values that the refused construct makes: `Date`, `any`. */
  readonly refuses?: string | undefined;
  /** Node cannot run the construct either, and its values have types of their own. */
  readonly neverOnNode?: true;
}

/** Advice for values of a type. */
const insteadOfType: Readonly<Record<string, string | undefined>> = {
  Date: "the date as text, or as a number of milliseconds",
};

/** Collects refusals, at most one for each place. */
export interface Refusals {
  readonly refuse: (at: Span, code: RefusalCode, what: string, instead?: string, causes?: Causes) => void;
  readonly all: () => readonly Refusal[];
}

export const newRefusals = (): Refusals => {
  const found = new Map<string, { readonly refusal: Refusal; readonly cause: string | undefined }>();
  const refused = new Set<string | undefined>();
  let refusesAll = false;
  return {
    refuse(at, code, what, instead, { of, refuses, neverOnNode } = {}) {
      const key = `${at.file}:${at.line}:${at.column}`;
      if (found.has(key) || what.includes(refusedType)) return;
      const cause = of && code === "function/any" ? unknownIn(of) : undefined;
      if (refuses !== undefined) refused.add(refuses);
      refusesAll ||= neverOnNode === true;
      const advice = instead ?? insteadOfType[cause ?? ""] ?? refusalCodes[code];
      const refusal = { code, at, what, instead: advice, ...(neverOnNode && { neverOnNode }) };
      found.set(key, { refusal, cause });
    },
    all: () =>
      [...found.values()]
        .filter(({ cause }) => cause === undefined || !(refusesAll || refused.has(cause)))
        .map(({ refusal }) => refusal)
        .toSorted(
          (a, b) =>
            (a.at.file < b.at.file ? -1 : a.at.file > b.at.file ? 1 : 0) ||
            a.at.line - b.at.line ||
            a.at.column - b.at.column,
        ),
  };
};
