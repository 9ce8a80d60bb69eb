import { attempt, mapDefined } from "@tritype/core";
import type { JsonShape, Shape, ShapeProperty } from "@tritype/translator";
import fc from "fast-check";
import { arbitraryNumber, arbitraryText } from "./arbitrary-scalars.ts";
import type { Literals } from "./literals.ts";

/** The known properties of an input's JSON. */
export interface JsonMaterial {
  /** The `T` of `json<T>()`; undefined if the step was not translated. */
  readonly shape: JsonShape | undefined;
  /** Texts that have reached the input. */
  readonly seen: readonly string[];
}

/** JSON of the input's type, JSON similar to samples that reached it, and occasionally something else. */
export const arbitraryJson = ({ shape, seen }: JsonMaterial, literals: Literals): fc.Arbitrary<string> => {
  const samples = seen.flatMap((text) => attempt(() => [JSON.parse(text) as unknown]) ?? []);
  const values = [
    ...(shape === undefined ? [] : valuesOf(shape, literals)),
    ...samples.map((sample) => arbitraryLike(sample, literals)),
  ];
  const any = fc.oneof(fc.json(), fc.constant("{"));
  if (values.length === 0) return any;
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.tuple(fc.oneof(...values), fc.nat(5)).map(([value, way]) => print(value, way)),
    },
    ...(seen.length > 0 ? [fc.constantFrom(...seen)] : []),
    any,
  );
};

/** Printed as in JavaScript; occasionally with floats printed as in Python, or with properties reversed and an extra one added. */
const print = (value: unknown, way: number): string => {
  const text = (one: unknown): string => {
    if (typeof one === "number" && way === 1 && Number.isInteger(one)) return numberText(one);
    if (Array.isArray(one)) return `[${one.map(text).join(",")}]`;
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const entries = Object.entries(one).map(([key, of]) => `${JSON.stringify(key)}:${text(of)}`);
    return `{${(way === 2 ? ['"one more":0', ...entries.toReversed()] : entries).join(",")}}`;
  };
  return text(value);
};

const numberText = (value: number): string => (Math.abs(value) < 1e15 ? `${value}.0` : JSON.stringify(value));

/** Maximum depth of a recursive type. */
const deepest = 3;

/** Values of a type; none if every value is deeper than the maximum. */
const valuesOf = ({ shape, named }: JsonShape, literals: Literals): readonly fc.Arbitrary<unknown>[] => {
  const made = (of: Shape, depth: number): fc.Arbitrary<unknown> | undefined => {
    switch (of.kind) {
      case "string":
        return arbitraryText(literals);
      case "number":
        return fc.oneof(
          fc.integer({ min: -3, max: 50 }),
          arbitraryNumber(literals, "FP64").filter(Number.isFinite),
        );
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "undefined":
        return undefined;
      case "literal":
        return fc.constant(of.value);
      case "array": {
        const items = made(of.items, depth);
        return items === undefined ? fc.constant([]) : fc.array(items, { maxLength: depth === 0 ? 6 : 2 });
      }
      case "tuple": {
        const items = of.items.flatMap((item) => made(item, depth) ?? []);
        return items.length < of.items.length ? undefined : fc.tuple(...items);
      }
      case "dictionary": {
        const values = made(of.values, depth);
        return values === undefined
          ? fc.constant({})
          : fc.dictionary(arbitraryText(literals), values, {
              maxKeys: depth === 0 ? 5 : 2,
              noNullPrototype: true,
            });
      }
      case "union": {
        const options = of.of.flatMap((option) => made(option, depth) ?? []);
        return options.length === 0 ? undefined : fc.oneof(...options);
      }
      case "named": {
        const inner = named[of.name];
        return inner === undefined || depth >= deepest ? undefined : made(inner, depth + 1);
      }
      default:
        return recordOf(of.properties, (property) => made(property.shape, depth));
    }
  };
  const found = made(shape, 0);
  return found === undefined ? [] : [found];
};

const recordOf = (
  properties: readonly ShapeProperty[],
  made: (property: ShapeProperty) => fc.Arbitrary<unknown> | undefined,
): fc.Arbitrary<unknown> | undefined => {
  const values = mapDefined(properties, made);
  const required = properties.filter((property) => !mayLack(property));
  if (!required.every((property) => values.has(property))) return undefined;
  return fc.record(Object.fromEntries([...values].map(([{ name }, value]) => [name, value])), {
    requiredKeys: required.map(({ name }) => name),
    noNullPrototype: true,
  });
};

const mayLack = ({ optional, shape }: ShapeProperty): boolean =>
  optional === true || (shape.kind === "union" && shape.of.some(({ kind }) => kind === "undefined"));

const arbitraryLike = (sample: unknown, literals: Literals): fc.Arbitrary<unknown> => {
  if (typeof sample === "string") return arbitraryText(literals);
  if (typeof sample === "number")
    return Number.isInteger(sample)
      ? fc.oneof(fc.integer({ min: -3, max: 50 }), fc.integer())
      : arbitraryNumber(literals, "FP64").filter(Number.isFinite);
  if (typeof sample === "boolean") return fc.boolean();
  if (Array.isArray(sample)) {
    const elements = sample.slice(0, 8).map((element) => arbitraryLike(element, literals));
    return elements.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...elements), { maxLength: 6 });
  }
  if (typeof sample === "object" && sample !== null)
    return fc.record(
      Object.fromEntries(Object.entries(sample).map(([key, value]) => [key, arbitraryLike(value, literals)])),
      { noNullPrototype: true },
    );
  return fc.constant(sample);
};
