import { printRawData, type TensorData } from "@tritype/core";
import { jsonDataSteps } from "./json-data.ts";
import type { Steps } from "./steps.ts";

/** One input or output: its JSON, and its binary data if it is sent in that form. */
export interface PrintedTensor {
  /** In pieces. */
  readonly json: readonly string[];
  readonly binary: Uint8Array | undefined;
}

/** Member order as Triton prints it: name, datatype, shape, then parameters or data. */
export function* printTensor(name: string, tensor: TensorData, binary: boolean): Steps<PrintedTensor> {
  const head = headOf(name, tensor);
  if (!binary)
    return { json: [`{${head},"data":`, ...(yield* jsonDataSteps(tensor)), "}"], binary: undefined };
  const data = printRawData(tensor);
  return { json: [`{${head},"parameters":{"binary_data_size":${data.byteLength}}}`], binary: data };
}

/** A tensor whose data is in shared memory. */
export const describeTensor = (name: string, tensor: TensorData): PrintedTensor => ({
  json: [`{${headOf(name, tensor)}}`],
  binary: undefined,
});

const headOf = (name: string, { dtype, shape }: TensorData): string =>
  `"name":${JSON.stringify(name)},"datatype":"${dtype}","shape":[${shape.join(",")}]`;
