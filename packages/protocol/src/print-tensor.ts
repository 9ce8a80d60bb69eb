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
  const head = `"name":${JSON.stringify(name)},"datatype":"${tensor.dtype}","shape":[${tensor.shape.join(",")}]`;
  if (!binary)
    return { json: [`{${head},"data":`, ...(yield* jsonDataSteps(tensor)), "}"], binary: undefined };
  const data = printRawData(tensor);
  return { json: [`{${head},"parameters":{"binary_data_size":${data.byteLength}}}`], binary: data };
}
