import { jsonShapeOf, partWithoutJson } from "../builtins/json-shape.ts";
import type { ValueType } from "../ir/value-type.ts";
import type { NamedShapes, Shape } from "../json/shape.ts";
import type { Refusals } from "../refusals/refusals.ts";
import type { Program } from "./gather.ts";

/** The inputs and outputs of `run` that its callers pass and receive as JSON text. */
export interface JsonEdges {
  readonly inputs: readonly JsonInput[];
  readonly outputs: readonly JsonOutput[];
  /** Whether a tensor consists of its elements and its shape, as in `batchStep`. */
  readonly isBatch: boolean;
}
export interface JsonOutput {
  readonly name: string;
  readonly type: ValueType;
}
export interface JsonInput {
  readonly name: string;
  readonly shape: Shape;
  readonly named: NamedShapes;
  /** Whether the input may be missing. */
  readonly optional: boolean;
}

/** The start of a message about an input. */
export const inputPlace = (name: string): string => `input ${name}: `;

/** The part of a type that JSON cannot represent, if it is not the whole type. */
const partOf = (type: ValueType | undefined): string => {
  const part = type && partWithoutJson(type);
  return part === undefined || part === type
    ? ""
    : `, of which \`${part.text}\` has no JSON form that can be checked`;
};

/** Undefined if no input or output is JSON. Types without a JSON form are refused. */
export const jsonEdges = (
  { declarations, run, isBatch }: Program,
  { inputs, outputs }: { readonly inputs: readonly string[]; readonly outputs: readonly string[] },
  refusals: Refusals,
): JsonEdges | undefined => {
  const value = declarations.find(({ variable }) => variable === run)?.value;
  if (value?.kind !== "lambda" || inputs.length + outputs.length === 0) return undefined;
  const row = value.type.parameters?.[0];
  const typeOf = (of: ValueType | undefined, name: string): ValueType | undefined => {
    const type = of?.fields?.get(name)?.type;
    return isBatch ? type?.fields?.get("data")?.type.element : type;
  };
  const shapeOf = (of: ValueType | undefined, name: string): ReturnType<typeof jsonShapeOf> => {
    const type = typeOf(of, name);
    // TypeScript reports an output that is not returned.
    if (type === undefined && of?.fields?.has(name) === false) return undefined;
    const made = type && jsonShapeOf({ ...type, undefined: false });
    if (made === undefined)
      refusals.refuse(
        value.at,
        "function/any",
        `\`${name}\` as JSON is of type \`${type?.text ?? "unknown"}\`${partOf(type)}`,
        "`json<T>()` with a T of strings, numbers, booleans, null, arrays, records and unions of these",
        type && { of: type },
      );
    return made;
  };
  const written = outputs.flatMap((name) => {
    const type = typeOf(value.result, name);
    return shapeOf(value.result, name) === undefined || type === undefined ? [] : [{ name, type }];
  });
  return {
    inputs: inputs.flatMap((name) => {
      const made = shapeOf(row, name);
      const field = row?.fields?.get(name);
      return made === undefined
        ? []
        : [{ name, ...made, optional: field?.optional === true || field?.type.undefined === true }];
    }),
    outputs: written,
    isBatch,
  };
};
