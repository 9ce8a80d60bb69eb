import fc from "fast-check";
import { expect, test } from "vitest";
import { type DType, dtypes } from "./dtype.ts";
import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf } from "./half.ts";
import {
  byteLength,
  concatRows,
  type FixedDType,
  sliceRows,
  tensorOf,
  typedArrayOf,
  valuesOf,
} from "./tensor-data.ts";

test.each<[DType, readonly (number | bigint | boolean | string)[]]>([
  ["BOOL", [true, false]],
  ["UINT8", [0, 255]],
  ["INT8", [-128, 127]],
  ["UINT16", [0, 65535]],
  ["INT16", [-32768, 32767]],
  ["UINT32", [0, 4294967295]],
  ["INT32", [-2147483648, 2147483647]],
  ["UINT64", [0n, 18446744073709551615n]],
  ["INT64", [-9223372036854775808n, 9223372036854775807n]],
  ["FP16", [-0, 65504]],
  ["BF16", [1.5, Number.NaN]],
  ["FP32", [0.5, -Infinity]],
  ["FP64", [1e300, -0]],
  ["BYTES", ["", "naïve 👩‍👧 \0"]],
])("%s can represent its minimum and maximum", (dtype, values) => {
  expect(valuesOf(tensorOf(dtype, [2], values))).toEqual(values);
});

test("a tensor with the wrong number of elements is refused", () => {
  expect(() => tensorOf("FP32", [2, 2], [1, 2, 3])).toThrow("shape [2, 2] has 4 elements, got 3");
});

test("every half-precision pattern survives conversion to a number and back", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const value = halfToNumber(bits);
    if (!Number.isNaN(value)) expect(numberToHalf(value)).toBe(bits);
  }
});

test.each([
  [65519.99, 65504],
  [65520, Infinity],
  [2 ** -25, 0],
  [2 ** -25 * 1.0001, 2 ** -24],
  [1 + 2 ** -11, 1],
  [1 + 3 * 2 ** -11, 1 + 2 ** -9],
  [-1e-9, -0],
])("%f rounds to the nearest half, ties to even: %f", (value, rounded) => {
  expect(halfToNumber(numberToHalf(value))).toBe(rounded);
});

test("bfloat16 keeps the upper half of a float, rounded to even", () => {
  expect(bfloat16ToNumber(numberToBfloat16(1.00390625))).toBe(1);
  expect(bfloat16ToNumber(numberToBfloat16(1.01171875))).toBe(1.015625);
  expect(bfloat16ToNumber(numberToBfloat16(3.4e38))).toBe(Infinity);
});

test("unaligned bytes are read, including those of a Node Buffer", () => {
  const bytes = Buffer.alloc(9);
  bytes.writeDoubleLE(0.125, 1);
  const unaligned = { dtype: "FP64", shape: [1], data: bytes.subarray(1) } as const;
  expect(Buffer.from(unaligned.data).byteLength).toBe(8);
  expect([...typedArrayOf(unaligned)]).toEqual([0.125]);
});

const fixed = Object.keys(dtypes).filter((dtype) => dtype !== "BYTES") as FixedDType[];
const tensors = fc
  .record({ dtype: fc.constantFrom(...fixed), rows: fc.nat(5), width: fc.nat(4) })
  .chain(({ dtype, rows, width }) => {
    const size = byteLength(dtype, [rows, width]);
    return fc
      .uint8Array({ minLength: size, maxLength: size })
      .map((data) => ({ dtype, shape: [rows, width], data }));
  });

test("law: the rows of a tensor, joined, are the tensor", () => {
  fc.assert(
    fc.property(tensors, (tensor) => {
      const [rows = 0] = tensor.shape;
      fc.pre(rows > 0);
      const joined = concatRows(Array.from({ length: rows }, (_, row) => sliceRows(tensor, row, row + 1)));
      expect({ ...joined, data: [...(joined.data as Uint8Array)] }).toEqual({
        ...tensor,
        data: [...tensor.data],
      });
    }),
  );
});
