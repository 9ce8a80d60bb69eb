import {
  hostileBigint,
  hostileNumber,
  hostileNumberText,
  hostileText,
  listOf,
  pick,
  type Random,
  upTo,
} from "./hostile.ts";

/** A TypeScript type and values of it. */
export interface InputType {
  readonly type: string;
  readonly make: (random: Random) => unknown;
}

/** One of these values, or, once in every `rarely` times, any value of the kind. */
const mostly = (
  type: string,
  values: readonly unknown[],
  make: (random: Random) => unknown,
  rarely = 4,
): InputType => ({
  type,
  make: (random) => (upTo(random, rarely - 1) === 0 ? make(random) : pick(random, values)),
});

export const texts: InputType = { type: "string", make: hostileText };
export const numberTexts: InputType = { type: "string", make: hostileNumberText };
export const anyNumbers: InputType = { type: "number", make: hostileNumber };
export const places: InputType = mostly(
  "number",
  [0, 1, 2, 3, 5, -1, -2, -7, 1.5, Number.NaN],
  hostileNumber,
  8,
);
export const counts: InputType = { type: "number", make: (random) => upTo(random, 12) };
export const integers: InputType = { type: "number", make: (random) => upTo(random, 200) - 100 };
export const bigints: InputType = { type: "bigint", make: hostileBigint };
export const booleans: InputType = { type: "boolean", make: (random) => random() < 0.5 };
export const oneOf = (type: string, ...values: readonly unknown[]): InputType => ({
  type,
  make: (random) => pick(random, values),
});
export const arrayOf = ({ type, make }: InputType, most = 6): InputType => ({
  type: `(${type})[]`,
  make: (random) => listOf(random, make, most),
});
/** Elements for a typed array of integers. */
export const wholes = (
  type: "Int32Array" | "Uint8Array",
  of: (values: readonly number[]) => Int32Array | Uint8Array,
): InputType => ({
  type,
  make: (random) => of(listOf(random, (from) => pick(from, [0, 1, 2, 3, 5, -1, 2 ** 31, 200]), 6)),
});
export const nullable = ({ type, make }: InputType): InputType => ({
  type: `${type} | null`,
  make: (random) => (random() < 0.3 ? null : make(random)),
});
export const records = (
  fields: Readonly<Record<string, InputType>>,
  optional: readonly string[] = [],
): InputType => ({
  type: `{ ${Object.entries(fields)
    .map(([name, { type }]) => `${name}${optional.includes(name) ? "?" : ""}: ${type}`)
    .join("; ")} }`,
  make: (random) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, { make }]) =>
        optional.includes(name) && random() < 0.4 ? [] : [[name, make(random)]],
      ),
    ),
});
export const dictionaries = ({ type, make }: InputType, names: readonly string[]): InputType => ({
  type: `Record<string, ${type}>`,
  make: (random) => Object.fromEntries(listOf(random, () => [pick(random, names), make(random)])),
});
