import type { Refusal, Translated } from "@tritype/core";
import type { NamedShapes, Shape } from "./json/shape.ts";

/** The result of translating a function. */
export interface Translation {
  /** All refusals, in source order. If there are any, `translated` is undefined. */
  readonly refusals: readonly Refusal[];
  readonly translated: Translated | undefined;
  /** Types of the inputs that are JSON text, by name. */
  readonly jsonInputs: Readonly<Record<string, JsonShape>>;
  /** An ES module that parses and checks these inputs, for a function that is not translated. */
  readonly jsonReaders?: string | undefined;
}

/** The JSON form of a type, as plain data. */
export interface JsonShape {
  readonly shape: Shape;
  readonly named: NamedShapes;
}
