/** The JSON form of a TypeScript type, as plain data. */
export type Shape =
  | { readonly kind: "string" | "boolean" | "null" | "undefined" }
  /** `integer`: proven never to be a float in Python. */
  | { readonly kind: "number"; readonly integer?: boolean }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly items: Shape }
  | { readonly kind: "tuple"; readonly items: readonly Shape[] }
  /** An object with known properties, in the type's order. A value may have additional properties, and its properties may be in a different order. */
  | { readonly kind: "record"; readonly properties: readonly ShapeProperty[] }
  /** `Record<string, T>` */
  | { readonly kind: "dictionary"; readonly values: Shape }
  | { readonly kind: "union"; readonly of: readonly Shape[] }
  /** A recursive type: see `Shapes.named`. */
  | { readonly kind: "named"; readonly name: string };

export interface ShapeProperty {
  readonly name: string;
  readonly shape: Shape;
  readonly optional?: boolean;
}

/** Shapes of recursive types, by name. */
export type NamedShapes = Readonly<Record<string, Shape>>;
