import { concatBytes, dtypeOfConfigName, elementSize, type TensorData, requestPrefix } from "@tritype/core";
import { z } from "zod";
import type { ParsedInferRequest } from "./infer-request.ts";
import { invalid } from "./json-value.ts";
import { readRawData } from "./raw-data.ts";

/** A raw binary request: the whole body is the one input's data. */
export interface RawBody {
  readonly model: string;
  readonly version?: string | undefined;
  readonly body: Uint8Array;
  /** The model's configuration as `/v2/models/<model>/config` prints it. */
  readonly config: object;
}

const configSchema = z.object({
  max_batch_size: z.coerce.number().default(0),
  input: z
    .array(z.object({ name: z.string(), data_type: z.string(), dims: z.array(z.coerce.number()) }))
    .default([]),
});

/**
 * Reads a raw binary request (`Inference-Header-Content-Length: 0`, or an empty body): the batch size is 1, there is at
 * most one variable dim, which is computed from the size, and BYTES have the shape [1]. The response is binary.
 * @throws PipelineError `request/invalid` if the model has several inputs or the shape cannot be deduced.
 */
export const parseRawRequest = ({ model, version, body, config }: RawBody): ParsedInferRequest => {
  const { max_batch_size: maxBatchSize, input: declared } = configSchema.parse(config);
  const [input, ...others] = declared;
  if (input === undefined || others.length > 0)
    throw invalid(
      `${prefix}Raw request must only have 1 input (found 1) to be deduced but got ${declared.length} inputs in '${model}' model configuration`,
    );
  const dtype = dtypeOfConfigName(input.data_type);
  if (dtype === undefined) throw invalid(`invalid datatype for input ${input.name}`);
  const dims = maxBatchSize > 0 ? [1, ...input.dims] : input.dims;
  if (dims.filter((dim) => dim === -1).length > 1)
    throw invalid(
      `${prefix}The shape of the raw input '${input.name}' can not be deduced because there are more than one variable-sized dimension`,
    );
  const known = dims.filter((dim) => dim !== -1).reduce((product, dim) => product * dim, 1);
  if (dtype === "BYTES" && (known !== 1 || dims.includes(-1)))
    throw invalid(
      `${prefix}For BYTE datatype raw input '${input.name}', the model must have input shape [1]`,
    );
  const deduced = dtype === "BYTES" ? 1 : Math.floor(body.byteLength / known / elementSize(dtype));
  const shape = dims.map((dim) => (dim === -1 ? deduced : dim));
  const data = dtype === "BYTES" ? concatBytes([lengthOf(body), body]) : body;
  const tensor: TensorData = readRawData({ model, input: "raw_input", id: "" }, dtype, shape, data);
  return {
    request: { model, version, id: "", inputs: new Map([[input.name, tensor]]) },
    format: { binary: new Map(), binaryByDefault: true },
  };
};

const prefix = requestPrefix("");

const lengthOf = (bytes: Uint8Array): Uint8Array => {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.byteLength, true);
  return length;
};
