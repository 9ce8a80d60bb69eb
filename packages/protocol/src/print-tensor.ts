import { printRawData, type TensorData } from "@tritype/core";
import { printJsonData } from "./json-data.ts";

/** One input or output: its JSON, and its binary data where it travels so. */
export interface PrintedTensor {
  readonly json: string;
  readonly binary: Uint8Array | undefined;
}

/** Member order as Triton prints it: name, datatype, shape, then parameters or data. */
export const printTensor = (name: string, tensor: TensorData, binary: boolean): PrintedTensor => {
  const head = `"name":${JSON.stringify(name)},"datatype":"${tensor.dtype}","shape":[${tensor.shape.join(",")}]`;
  if (!binary) return { json: `{${head},"data":${printJsonData(tensor)}}`, binary: undefined };
  const data = printRawData(tensor);
  return { json: `{${head},"parameters":{"binary_data_size":${data.byteLength}}}`, binary: data };
};
