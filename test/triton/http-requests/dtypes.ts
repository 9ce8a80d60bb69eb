import { type DType, dtypes as known, elementSize } from "@tritype/core";
import { binary, binaryInput, echo, type Requests, text } from "./infer-message.ts";

const all = Object.keys(known) as DType[];

/** Two elements of a dtype in JSON. */
const elements: Readonly<Record<string, readonly unknown[]>> = { BOOL: [true, false], BYTES: ["ä", ""] };
/** Values of other types for each dtype. */
const foreign: Readonly<Record<string, readonly unknown[]>> = {
  "a boolean": [true, true],
  "an int beyond 8 bits": [300, -300],
  "an int beyond 16 bits": [70_000, 70_001],
  "an int beyond 32 bits": [2 ** 32 + 1, 2 ** 40],
  "a fraction": [1.5, 2.5],
  "text of a number": ["1", "2"],
};
const bytesOf = (dtype: DType): Buffer =>
  dtype === "BYTES" ? text("ä", "") : Buffer.alloc(2 * elementSize(dtype), 1);
const size = (dtype: DType): number => bytesOf(dtype).length;
const binaryOut = { parameters: { binary_data_output: true } };
const model = (dtype: DType): string => `echo_${dtype.toLowerCase()}`;

const each = (make: (dtype: DType) => Requests): Requests => Object.assign({}, ...all.map(make));

/**
 * Every dtype in JSON and as binary data: valid, in the wrong encoding, with a byte too many, and with values of other
 * dtypes.
 */
export const dtypes: Requests = each((dtype) => ({
  [`${dtype} in JSON`]: echo(dtype, [1, 2], elements[dtype] ?? [1, 2]),
  [`${dtype} as binary data`]: binary(
    model(dtype),
    binaryInput(dtype, [1, 2], size(dtype), binaryOut),
    bytesOf(dtype),
  ),
  [`${dtype} as binary data, JSON out`]: binary(
    model(dtype),
    binaryInput(dtype, [1, 2], size(dtype)),
    bytesOf(dtype),
  ),
  [`${dtype} in JSON, binary out`]: {
    ...echo(dtype, [1, 2], elements[dtype] ?? [1, 2]),
    body: JSON.stringify({
      inputs: [{ name: "X", datatype: dtype, shape: [1, 2], data: elements[dtype] ?? [1, 2] }],
      outputs: [{ name: "Y", parameters: { binary_data: true } }],
    }),
  },
  [`${dtype} with a byte too many`]: binary(
    model(dtype),
    binaryInput(dtype, [1, 2], size(dtype) + 1),
    Buffer.concat([bytesOf(dtype), Buffer.from([0])]),
  ),
  [`${dtype} with an element too few`]: echo(dtype, [1, 3], elements[dtype] ?? [1, 2]),
  [`${dtype} of no elements, binary`]: binary(
    model(dtype),
    binaryInput(dtype, [0, 2], 0, binaryOut),
    Buffer.alloc(0),
  ),
  ...Object.fromEntries(
    Object.entries(foreign).map(([name, data]) => [`${name} for ${dtype}`, echo(dtype, [1, 2], data)]),
  ),
}));
