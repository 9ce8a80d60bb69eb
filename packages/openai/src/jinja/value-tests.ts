import { compare, isEqual, isIn, isList, isMap, isMissing, isNumber, isText, numberOf } from "./values.ts";
import type { Value } from "./library.ts";

type Test = (value: Value, other: Value | undefined) => boolean;

const ofType =
  (...types: readonly string[]): Test =>
  ({ type }) =>
    types.includes(type);
const isInstance: Readonly<Record<string, Test>> = {
  boolean: ofType("BooleanValue"),
  callable: ofType("FunctionValue"),
  float: ofType("FloatValue"),
  integer: ofType("IntegerValue"),
  none: ofType("NullValue"),
  number: isNumber,
  string: isText,
  mapping: isMap,
};
const comparisons: Readonly<Record<string, Test>> = {
  eq: isEqual,
  ne: (a, b) => !isEqual(a, b),
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
};
const named = (names: Readonly<Record<string, string>>): Readonly<Record<string, Test>> =>
  Object.fromEntries(Object.entries(names).map(([name, same]) => [name, comparisons[same] as Test]));

/** Jinja's tests, except those for names of filters and tests. */
export const valueTests: ReadonlyMap<string, Test> = new Map(
  Object.entries<Test>({
    ...isInstance,
    ...comparisons,
    ...named({ "==": "eq", equalto: "eq", "!=": "ne", "<": "lt", lessthan: "lt", "<=": "le" }),
    ...named({ ">": "gt", greaterthan: "gt", ">=": "ge" }),
    in: isIn,
    sameas: (a, b) => a.type === b?.type && (a.value === b.value || isMissing(a)),
    divisibleby: (a, b) => numberOf(a) % numberOf(b) === 0,
    odd: (a) => Math.abs(numberOf(a) % 2) === 1,
    even: (a) => numberOf(a) % 2 === 0,
    defined: (a) => !isMissing(a),
    undefined: isMissing,
    true: (a) => a.type === "BooleanValue" && a.value === true,
    false: (a) => a.type === "BooleanValue" && a.value === false,
    sequence: (a) => isList(a) || isMap(a) || isText(a),
    iterable: (a) => isList(a) || isMap(a) || isText(a) || isMissing(a),
    lower: (a) => isText(a) && a.value !== a.value.toUpperCase() && a.value === a.value.toLowerCase(),
    upper: (a) => isText(a) && a.value !== a.value.toLowerCase() && a.value === a.value.toUpperCase(),
    escaped: () => false,
  }),
);
