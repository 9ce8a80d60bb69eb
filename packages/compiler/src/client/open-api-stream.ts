import { showType } from "@tritype/core";
import type { ManifestEnsemble, ManifestTensor } from "@tritype/manifest";
import {
  elementSchema,
  neededOf,
  parametersSchema,
  type Tensors,
  travelsAsJson,
} from "./open-api-schemas.ts";

/**
 * Whether clients can read an ensemble's stream over HTTP: Triton's `generate_stream` is JSON, and has no sequences. gRPC
 * has neither limit.
 */
export const streamsOverHttp = ({ inputs, outputs, sequenceIds }: ManifestEnsemble): boolean =>
  sequenceIds === undefined && travelsAsJson(inputs) && travelsAsJson(outputs);

/** The JSON of a request to `generate_stream`: each input under its name, without a shape. */
export const flatRequestSchema = ({ inputs }: ManifestEnsemble): object => ({
  type: "object",
  required: neededOf(inputs).map(([name]) => name),
  properties: {
    id: { type: "string", description: "Returned in each answer." },
    parameters: parametersSchema("Parameters that the models read."),
    ...flatSchemas(inputs),
  },
});

/** The JSON of one answer in a stream. Outputs may be missing from it. */
export const flatResponseSchema = ({ name, outputs }: ManifestEnsemble): object => ({
  type: "object",
  required: ["model_name", "model_version"],
  properties: {
    id: { type: "string" },
    model_name: { const: name },
    model_version: { type: "string" },
    ...flatSchemas(outputs),
  },
});

const flatSchemas = (tensors: Tensors): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, flatSchema(tensor)]));

const flatSchema = (tensor: ManifestTensor): object => {
  const element = elementSchema(tensor.dtype);
  return {
    description: `${showType(tensor)}: one element, or all elements in row-major order.`,
    anyOf: [element, { type: "array", items: element }],
  };
};
