/** The kind of a value, as the translation distinguishes them. */
export type Kind =
  | "string"
  | "number"
  | "bigint"
  | "boolean"
  | "array"
  | "typed"
  | "map"
  | "set"
  | "record"
  | "iterator"
  | "match"
  | "regexp"
  | "error"
  | "function"
  | "encoder"
  | "decoder"
  | "unknown";

/** A TypeScript type as plain data. A recursive type is a cycle here. */
export interface ValueType {
  /** Kinds of the union's members, without undefined and null; empty if there are no others. */
  readonly kinds: readonly Kind[];
  readonly undefined: boolean;
  readonly null: boolean;
  /** Elements of an array, a set, an iterator or a typed array; values of a map. */
  readonly element: ValueType | undefined;
  /** Keys of a map. */
  readonly key: ValueType | undefined;
  /** Elements of a tuple of fixed length, by position. */
  readonly items: readonly ValueType[] | undefined;
  /** Properties of a record. */
  readonly fields: ReadonlyMap<string, Field> | undefined;
  /** Values of a record with arbitrary keys. */
  readonly index: ValueType | undefined;
  /** The name of a type of kind `unknown`: `any`, `Date`. */
  readonly unknown: string | undefined;
  /** The class of a typed array: Float32Array. */
  readonly array: string | undefined;
  /** Parameters of a function. */
  readonly parameters: readonly ValueType[] | undefined;
  /** The possible strings, if the type lists them. */
  readonly literals: readonly string[] | undefined;
  /** The value of a literal type. */
  readonly literal: string | number | boolean | undefined;
  /** Number of object types in the union that were merged into this type. */
  readonly members: number;
  /** Each of these object types, if there are several. */
  readonly variants: readonly ValueType[] | undefined;
  /** The type as TypeScript prints it, for messages. */
  readonly text: string;
}

export interface Field {
  readonly type: ValueType;
  /** Whether the property may be missing: JSON that lacks a property of type `T | undefined` fits its record. */
  readonly optional: boolean;
}

/** The kind of a type, or "mixed" if there are several. "nothing" means only undefined or null. */
export const kindOf = (type: ValueType): Kind | "mixed" | "nothing" => {
  const [first, ...rest] = type.kinds;
  if (first === undefined) return "nothing";
  return rest.length === 0 ? first : "mixed";
};

export const isMissing = (type: ValueType): boolean => type.undefined || type.null;

/** Whether every value of the type is of this kind, and no value can be missing. */
export const isAlways = (type: ValueType, kind: Kind): boolean => kindOf(type) === kind && !isMissing(type);

/** Whether values of some types are of several of the kinds that Python compares with each other: 1 == True. */
export const mixesNumbers = (types: readonly (ValueType | undefined)[]): boolean => {
  const kinds = types.flatMap((type) => type?.kinds ?? []);
  return new Set(kinds.filter((kind) => /^(?:number|bigint|boolean|unknown)$/.test(kind))).size > 1;
};

/** Whether every value of the type is a string, a number, a bigint, a boolean or missing. */
export const isPrimitive = ({ kinds }: ValueType): boolean =>
  kinds.every((kind) => /^(?:string|number|bigint|boolean)$/.test(kind));

/** The types of the values that a value of this type contains. */
export const partsOf = ({ variants, element, index, items, fields }: ValueType): readonly ValueType[] =>
  [
    ...(variants ?? []),
    element,
    index,
    ...(items ?? []),
    ...[...(fields?.values() ?? [])].map(({ type }) => type),
  ].filter((part) => part !== undefined);

/** The first result for a type and its parts, from the outside in. */
export const findInType = <T>(
  type: ValueType,
  find: (type: ValueType) => T | undefined,
  seen: Set<ValueType> = new Set(),
): T | undefined => {
  if (seen.has(type)) return undefined;
  seen.add(type);
  const within = (found: T | undefined, part: ValueType): T | undefined =>
    found ?? findInType(part, find, seen);
  return partsOf(type).reduce(within, find(type));
};

/** The name of the first type of kind `unknown` in a type. */
export const unknownIn = (type: ValueType): string | undefined =>
  findInType(type, ({ unknown: name }) => name);

/** Whether two values of the type can be the same mutable object. */
export const isShared = (type: ValueType | undefined): boolean =>
  type === undefined || type.kinds.some((kind) => sharedKinds.has(kind));

const sharedKinds: ReadonlySet<Kind> = new Set([
  "array",
  "typed",
  "map",
  "set",
  "record",
  "iterator",
  "unknown",
]);

/** A type about which nothing is known yet. */
export const bare: ValueType = {
  kinds: [],
  undefined: false,
  null: false,
  element: undefined,
  key: undefined,
  items: undefined,
  fields: undefined,
  index: undefined,
  unknown: undefined,
  array: undefined,
  parameters: undefined,
  literals: undefined,
  literal: undefined,
  members: 0,
  variants: undefined,
  text: "",
};

/** A type of one kind, for code that the translator adds itself. */
export const typeOfKind = (kind: Kind, facts: Partial<ValueType> = {}): ValueType => ({
  ...bare,
  text: kind,
  ...facts,
  kinds: [kind],
});

export const unknown: ValueType = typeOfKind("unknown");

/** The type without undefined and null. */
export const present = (type: ValueType): ValueType => ({ ...type, undefined: false, null: false });
