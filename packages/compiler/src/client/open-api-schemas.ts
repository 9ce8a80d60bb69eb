import { type DType, dtypes, showType } from "@tritype/core";
import type { ManifestEnsemble, ManifestTensor } from "@tritype/manifest";

/** The inputs or outputs of an ensemble. */
export type Tensors = Readonly<Record<string, ManifestTensor>>;

/** FP16 and BF16 have no JSON form in Triton. */
export const travelsAsJson = (tensors: Tensors): boolean =>
  Object.values(tensors).every(({ dtype }) => dtype !== "FP16" && dtype !== "BF16");

/** The inputs that a request must have. */
export const neededOf = (inputs: Tensors): readonly (readonly [string, ManifestTensor])[] =>
  Object.entries(inputs).filter(([, { optional }]) => optional !== true);

/** The JSON of a request, as JSON Schema. */
export const requestSchema = ({ inputs, outputs }: ManifestEnsemble): object => ({
  type: "object",
  required: ["inputs"],
  properties: {
    id: { type: "string", description: "Returned in the answer." },
    parameters: parametersSchema(
      "Triton's request parameters: `priority`, `timeout` (microseconds), `sequence_id`, and so on.",
    ),
    inputs: {
      type: "array",
      description: "Each input once, in any order.",
      minItems: neededOf(inputs).length,
      maxItems: Object.keys(inputs).length,
      items: oneOf(inputs),
    },
    outputs: {
      type: "array",
      description: "The outputs to return. Default: all.",
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { enum: Object.keys(outputs) },
          parameters: {
            type: "object",
            properties: { binary_data: { type: "boolean", description: "Return it as binary data." } },
          },
        },
      },
    },
  },
});

/** The JSON of a request's parameters. */
export const parametersSchema = (description: string): object => ({
  type: "object",
  description,
  additionalProperties: { type: ["string", "number", "boolean"] },
});

/** The JSON of a response, as JSON Schema. */
export const responseSchema = ({ name, outputs }: ManifestEnsemble): object => ({
  type: "object",
  required: ["model_name", "model_version", "outputs"],
  properties: {
    id: { type: "string" },
    model_name: { const: name },
    model_version: { type: "string" },
    parameters: { type: "object" },
    outputs: { type: "array", items: oneOf(outputs) },
  },
});

const oneOf = (tensors: Tensors): object => {
  const all = Object.entries(tensors).map(([name, tensor]) => tensorSchema(name, tensor));
  const [first] = all;
  return all.length === 1 && first !== undefined ? first : { oneOf: all };
};

const tensorSchema = (name: string, tensor: ManifestTensor): object => ({
  type: "object",
  description: showType(tensor),
  required: ["name", "datatype", "shape"],
  properties: {
    name: { const: name },
    datatype: { const: tensor.dtype },
    shape: {
      type: "array",
      minItems: tensor.dims.length,
      maxItems: tensor.dims.length,
      prefixItems: tensor.dims.map(dimSchema),
    },
    data: {
      type: "array",
      description: "The elements in row-major order, flat or nested.",
      items: { anyOf: [elementSchema(tensor.dtype), { type: "array" }] },
    },
    parameters: {
      type: "object",
      properties: {
        binary_data_size: {
          type: "integer",
          minimum: 0,
          description: "Size in bytes of this tensor after the JSON; replaces `data`.",
        },
      },
    },
  },
});

const dimSchema = (dim: number | string): object => {
  if (typeof dim === "string")
    return { type: "integer", minimum: 0, description: dim.replace(/(?:#\d+)+$/, "") };
  return dim < 0 ? { type: "integer", minimum: 0 } : { const: dim };
};

/** The JSON of one element. */
export const elementSchema = (dtype: string): object => {
  const { family, range } = dtypes[dtype as DType];
  if (family === "bytes") return { type: "string" };
  if (family === "bool") return { type: "boolean" };
  if (range === undefined) return { type: "number" };
  // Most parsers keep JSON numbers exact up to 2^53; a larger limit would be rounded.
  const [minimum, maximum] = range;
  return maximum > 2n ** 53n
    ? { type: "integer", format: minimum < 0n ? "int64" : "uint64", ...(minimum < 0n ? {} : { minimum: 0 }) }
    : { type: "integer", minimum: Number(minimum), maximum: Number(maximum) };
};
