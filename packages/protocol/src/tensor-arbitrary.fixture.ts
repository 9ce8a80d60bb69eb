import {
  byteLength,
  type DType,
  dtypes,
  elementCount,
  encodeUtf8,
  type TensorData,
  tensorOf,
} from "@tritype/core";
import * as fc from "fast-check";

/** Shapes of rank 0 to 3, including empty ones. */
const anyShape: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 });

const bytesElements = (text: boolean): fc.Arbitrary<Uint8Array> =>
  text ? fc.string({ unit: "binary" }).map(encodeUtf8) : fc.uint8Array({ maxLength: 9 });

/** Tensors of a dtype, with all bit patterns; BYTES as text or as arbitrary bytes; BOOL as 0 and 1. */
export const tensorArbitrary = (
  dtype: DType,
  text: boolean,
  shape: fc.Arbitrary<number[]> = anyShape,
): fc.Arbitrary<TensorData> =>
  shape.chain((dims): fc.Arbitrary<TensorData> => {
    const count = elementCount(dims);
    if (dtype === "BYTES")
      return fc
        .array(bytesElements(text), { minLength: count, maxLength: count })
        .map((data) => ({ dtype, shape: dims, data }));
    if (dtype === "BOOL")
      return fc
        .array(fc.boolean(), { minLength: count, maxLength: count })
        .map((values) => tensorOf(dtype, dims, values));
    const size = byteLength(dtype, dims);
    return fc
      .uint8Array({ minLength: size, maxLength: size })
      .map((data) => ({ dtype, shape: dims, data: new Uint8Array(data) }));
  });

export const everyDType = Object.keys(dtypes) as DType[];
