/** What a value is, as far as its translation depends on it. */
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

/** A type of TypeScript as plain data. A type that holds itself is a cycle here. */
export interface ValueType {
  /** Kinds of the union's members, without undefined and null; empty for nothing else than those. */
  readonly kinds: readonly Kind[];
  readonly undefined: boolean;
  readonly null: boolean;
  /** Elements of an array, a set, an iterator or a typed array; values of a map. */
  readonly element: ValueType | undefined;
  /** Keys of a map. */
  readonly key: ValueType | undefined;
  /** Elements of a tuple by place, where their number is fixed. */
  readonly items: readonly ValueType[] | undefined;
  /** Properties of a record. */
  readonly fields: ReadonlyMap<string, Field> | undefined;
  /** Values of a record under any key. */
  readonly index: ValueType | undefined;
  /** The class of a typed array: Float32Array. */
  readonly array: string | undefined;
  /** Parameters of a function. */
  readonly parameters: readonly ValueType[] | undefined;
  /** Its possible texts, if they are limited. */
  readonly literals: readonly string[] | undefined;
  /** The literal that it is. */
  readonly literal: string | number | boolean | undefined;
  /** How many types of objects a union is made of: their parts are joined here. */
  readonly members: number;
  /** Each of them, where there are several. */
  readonly variants: readonly ValueType[] | undefined;
  /** For messages, as the checker writes it. */
  readonly text: string;
}

export interface Field {
  readonly type: ValueType;
  readonly optional: boolean;
}

/** The one kind of a type, or "mixed". "nothing" has only undefined and null. */
export const kindOf = (type: ValueType): Kind | "mixed" | "nothing" => {
  const [first, ...rest] = type.kinds;
  if (first === undefined) return "nothing";
  return rest.length === 0 ? first : "mixed";
};

export const isMissing = (type: ValueType): boolean => type.undefined || type.null;

/** Whether every value of the type is of one kind, and there. */
export const isAlways = (type: ValueType, kind: Kind): boolean => kindOf(type) === kind && !isMissing(type);

/** Whether two values of the type can be one and the same thing that is changed through one of them. */
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

/** A type of which nothing is known yet. */
export const bare: ValueType = {
  kinds: [],
  undefined: false,
  null: false,
  element: undefined,
  key: undefined,
  items: undefined,
  fields: undefined,
  index: undefined,
  array: undefined,
  parameters: undefined,
  literals: undefined,
  literal: undefined,
  members: 0,
  variants: undefined,
  text: "",
};

/** A type of one kind, for what the translator adds itself. */
export const typeOfKind = (kind: Kind, facts: Partial<ValueType> = {}): ValueType => ({
  ...bare,
  text: kind,
  ...facts,
  kinds: [kind],
});

export const unknown: ValueType = typeOfKind("unknown");

/** The type without undefined and null. */
export const present = (type: ValueType): ValueType => ({ ...type, undefined: false, null: false });
