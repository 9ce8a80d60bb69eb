import { type Dims, isOptional, type Signature, type TensorType, ownValue } from "@tritype/core";
import type { FunctionTensor } from "@tritype/manifest";
import type { AcceptedValues } from "../step-kind.ts";
import type { JsonSchemas } from "./translation.ts";

/** The declarations of a function's tensors. */
export const tensorsOf = (signature: Signature): Readonly<Record<string, FunctionTensor>> =>
  Object.fromEntries(
    Object.entries(signature).map(([name, type]) => [
      name,
      {
        dtype: type.dtype,
        dims: type.dims satisfies Dims,
        ...(isOptional(type) ? { optional: true as const } : {}),
        ...(isJson(type) ? { json: true as const } : {}),
      },
    ]),
  );

/** Whether the tensor was declared with `json<T>()`. */
export const isJson = (type: TensorType): boolean => "json" in type && type.json === true;

export const jsonNames = (signature: Signature): readonly string[] =>
  Object.entries(signature).flatMap(([name, type]) => (isJson(type) ? [name] : []));

/** The texts that a function accepts, by input. */
export const acceptedTexts = (
  inputs: Signature,
  schemas: JsonSchemas = {},
): Readonly<Record<string, AcceptedValues>> =>
  Object.fromEntries(
    jsonNames(inputs).map((name) => {
      const contentSchema = ownValue(schemas, name);
      const known = contentSchema === undefined ? {} : { contentSchema };
      return [name, { contentMediaType: "application/json", ...known }];
    }),
  );
