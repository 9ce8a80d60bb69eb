import { type DType, type FixedTensor, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { compareTensors } from "./compare-tensors.ts";

const compare = (got: string, wanted: string) =>
  compareTensors("verdict", tensorOf("BYTES", [1], [got]), tensorOf("BYTES", [1], [wanted]), 1e-5);

test("numbers in JSON are considered equal within the tolerance", () => {
  const got = compare('{"label":"good","score":0.6459357738}', '{"label":"good","score":0.6459357142}');
  expect(got).toMatchObject({ ok: true, problem: undefined });
  expect(got.maxAbsolute).toBeCloseTo(5.96e-8, 10);
  expect(compare('{"score":1}', '{"score":0.9999999}').ok).toBe(true);
  expect(compare('{"score":0.6}', '{"score":0.7}').ok).toBe(false);
});

test.each([
  ['{"label":"good","score":0.5}', '{"label":"bad","score":0.5}'],
  ['{"id":123456789}', '{"id":123456790}'],
  ['{"a":1,"b":2}', '{"b":2,"a":1}'],
  ["[0.5]", "[0.5,0.5]"],
  ['["0.5"]', '["0.50000001"]'],
  ["0.5", "0.50000001"],
  ["[0.5", "[0.50000001"],
])("%s does not equal %s", (got, wanted) => {
  expect(compare(got, wanted)).toMatchObject({ ok: false, problem: expect.stringContaining("element 0") });
});

test.each<[DType, number | bigint, number | bigint]>([
  ["INT32", 1_000_001, 1_000_000],
  ["INT64", 2n ** 60n + 1n, 2n ** 60n],
  ["UINT64", 2n ** 64n - 1n, 2n ** 64n - 2n],
])("integers are equal only if they differ by at most the tolerance: %s", (dtype, got, wanted) => {
  const compareTo = (other: number | bigint, tolerance: number) =>
    compareTensors("ids", tensorOf(dtype, [1], [got]), tensorOf(dtype, [1], [other]), tolerance);
  expect(compareTo(wanted, 1e-5)).toMatchObject({ ok: false, maxAbsolute: 1 });
  expect(compareTo(wanted, 1).ok).toBe(true);
  expect(compareTo(got, 1e-5)).toMatchObject({ ok: true, maxAbsolute: 0 });
});

test("NaN only equals itself, and tensors with millions of elements are compared without a copy", () => {
  const tensor = (last: number): FixedTensor => {
    const numbers = new Float32Array(6_000_000).fill(0.5);
    numbers[0] = Number.NaN;
    numbers[numbers.length - 1] = last;
    return { dtype: "FP32", shape: [numbers.length], data: new Uint8Array(numbers.buffer) };
  };
  const [one, close, other] = [tensor(1), tensor(1.000001), tensor(Number.NaN)];
  const before = process.memoryUsage().heapTotal;
  expect(compareTensors("y", one, tensor(1), 1e-5)).toMatchObject({ ok: true, maxAbsolute: 0 });
  expect(compareTensors("y", close, one, 1e-5)).toMatchObject({
    ok: true,
    maxAbsolute: expect.closeTo(1e-6, 7),
  });
  expect(compareTensors("y", other, one, 1e-5)).toMatchObject({ ok: false, maxAbsolute: Infinity });
  // A list of the elements takes 8 bytes for each.
  expect(process.memoryUsage().heapTotal - before).toBeLessThan(40_000_000);
});

test("JSON may contain more numbers than a function call can have arguments", () => {
  const list = (last: string) => `[${"0.5,".repeat(200_000)}${last}]`;
  expect(compare(list("0.5"), list("0.5000001"))).toMatchObject({ ok: true, problem: undefined });
});
