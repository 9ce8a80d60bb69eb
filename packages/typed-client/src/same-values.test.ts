import { type Dims, type DType, packByteStrings, PipelineError, type TensorData } from "@tritype/core";
import { requestTensors } from "@tritype/protocol";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ClientError } from "./client-error.ts";
import { encodeInputs } from "./encode-inputs.ts";
import { elementOf, everyDType } from "./typed-client.cases.ts";
import { valueTensor } from "../../compiler/src/warmup/value-tensor.ts";

interface Given {
  readonly type: { readonly dtype: DType; readonly dims: Dims };
  readonly value: unknown;
}

/** The tensor that a client sends, or "refused". */
const sent = ({ type, value }: Given): unknown => {
  try {
    const [tensor] = encodeInputs({ name: "m", inputs: { x: type }, outputs: {} }, { x: value });
    return tensor && { shape: tensor.shape, data: [...tensor.data] };
  } catch (error) {
    if (error instanceof ClientError && error.kind === "invalid") return "refused";
    throw error;
  }
};

/** The tensor that `run` passes to the local runtime, or "refused". */
const passed = ({ type, value }: Given): unknown => {
  try {
    const tensor = requestTensors("m", { x: type }, new Map([["x", value]])).get("x");
    return tensor && shown(tensor);
  } catch (error) {
    if (PipelineError.is(error) && error.code === "request/invalid") return "refused";
    throw error;
  }
};

/** The tensor of a warmup sample, or "refused". */
const sampled = ({ type, value }: Given): unknown => {
  const read = valueTensor(type, value);
  return "tensor" in read ? shown(read.tensor) : "refused";
};

const shown = (tensor: TensorData): object => {
  const data = tensor.dtype === "BYTES" ? packByteStrings(tensor.data) : tensor.data;
  return { shape: tensor.shape, data: [...data] };
};

const odd = fc.oneof(
  fc.constantFrom("a", "a\ud800", "\udc00", 4e38, 1e39, 65_520, 1.5, -1, NaN, Infinity, null, true),
  fc.bigInt({ min: -300n, max: 300n }),
);

interface ArrayOf<Element> {
  from(list: readonly Element[]): ArrayBufferView;
}
const numberArrays: readonly ArrayOf<number>[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Int32Array,
  Float32Array,
  Float64Array,
];
const bigintArrays: readonly ArrayOf<bigint>[] = [BigInt64Array, BigUint64Array];

const typedArray = (length: number): fc.Arbitrary<ArrayBufferView> => {
  const numbers = fc.oneof(
    fc.integer({ min: -3, max: 200 }),
    fc.constantFrom(0.5, 1e39, 70_000, 2 ** 53, Infinity, NaN),
  );
  const of = { minLength: length, maxLength: length };
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...numberArrays), fc.array(numbers, of))
      .map(([array, list]) => array.from(list)),
    fc
      .tuple(fc.constantFrom(...bigintArrays), fc.array(fc.bigInt({ min: -3n, max: 3n }), of))
      .map(([array, list]) => array.from(list)),
  );
};

const given: fc.Arbitrary<Given> = fc
  .record({
    dtype: fc.constantFrom(...everyDType),
    first: fc.constantFrom<string | number>("batch", "n", -1, 2),
    others: fc.array(fc.constantFrom<string | number>("m", -1, 1, 3), { maxLength: 2 }),
    sizes: fc.array(fc.constantFrom(0, 1, 2), { minLength: 3, maxLength: 3 }),
  })
  .chain(({ dtype, first, others, sizes }) => {
    const dims = [first, ...others] as Dims;
    const element = fc.oneof(
      { weight: 30, arbitrary: elementOf(dtype) },
      ...(dtype === "BYTES" ? [{ weight: 5, arbitrary: fc.uint8Array({ maxLength: 3 }) }] : []),
      { weight: 1, arbitrary: odd },
    );
    const sizeOf = (axis: number): number => {
      const dim = dims[axis];
      return typeof dim === "number" && dim >= 0 ? dim : (sizes[axis] ?? 0);
    };
    const kept = dims.map((_, axis) => axis).filter((axis) => axis === 0 || dims[axis] !== 1);
    const lists = (axes: readonly number[]): fc.Arbitrary<unknown> => {
      const [axis, ...inner] = axes;
      if (axis === undefined) return element;
      const length = { minLength: sizeOf(axis), maxLength: sizeOf(axis) };
      return fc.oneof(
        { weight: 9, arbitrary: fc.array(lists(inner), length) },
        { weight: 1, arbitrary: fc.array(lists(inner), { maxLength: 2 }) },
        { weight: inner.length === 0 ? 3 : 0, arbitrary: typedArray(sizeOf(axis)) },
      );
    };
    const all = [...dims.keys()];
    const shaped = fc.oneof(fc.constantFrom(kept, all), fc.subarray(all)).chain((axes) => {
      const shape = axes.map(sizeOf);
      const count = shape.reduce((product, size) => product * size, 1);
      const list = fc.array(element, { minLength: Math.max(0, count - 1), maxLength: count });
      return fc.oneof(list, typedArray(count)).map((data) => ({ data, shape }));
    });
    const nested = fc.oneof({ weight: 4, arbitrary: lists(kept) }, { weight: 1, arbitrary: lists(all) });
    return fc.oneof(nested, shaped).map((value) => ({ type: { dtype, dims }, value }));
  });

it("`run` in this process takes and refuses the values that a client takes and refuses, and sends the same bytes", () => {
  fc.assert(
    fc.property(given, (one) => {
      expect(passed(one)).toEqual(sent(one));
    }),
    { numRuns: 3000 },
  );
});

it("a warmup sample takes the values that a client takes, and sends the same bytes", () => {
  fc.assert(
    fc.property(given, (one) => {
      const wanted = sent(one);
      // The client knows the sizes inside of an empty list from the declaration.
      if (wanted !== "refused" && !/\[\]|\{\}/.test(JSON.stringify(one.value, noBigInts)))
        expect(sampled(one)).toEqual(wanted);
    }),
    { numRuns: 3000 },
  );
});

const noBigInts = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? `${value}n` : value;

it.each<[string, Given]>([
  ["a typed array of another dtype", { type: { dtype: "FP32", dims: ["n"] }, value: Float64Array.of(1, 2) }],
  ["rows of typed arrays", { type: { dtype: "INT64", dims: ["batch", 2] }, value: [Int32Array.of(1, 2)] }],
  [
    "a typed array with its shape",
    { type: { dtype: "FP16", dims: ["n", 2] }, value: { data: Float64Array.of(1, 2), shape: [1, 2] } },
  ],
])("all accept %s", (_, one) => {
  expect(sent(one)).not.toBe("refused");
  expect(passed(one)).toEqual(sent(one));
  expect(sampled(one)).toEqual(sent(one));
});

it.each<[string, Given]>([
  [
    "a Float64Array with a number that FP32 cannot hold",
    { type: { dtype: "FP32", dims: ["n"] }, value: Float64Array.of(1e39) },
  ],
  [
    "a Float32Array with a number that FP16 cannot hold",
    { type: { dtype: "FP16", dims: ["n"] }, value: Float32Array.of(1e9) },
  ],
  [
    "a typed array with a fraction for integers",
    { type: { dtype: "INT8", dims: ["n"] }, value: Float32Array.of(0.5) },
  ],
  ["a typed array for texts", { type: { dtype: "BYTES", dims: ["n"] }, value: Uint8Array.of(65) }],
  ["an empty Uint8Array for texts", { type: { dtype: "BYTES", dims: ["n"] }, value: new Uint8Array() }],
  ["a typed array for booleans", { type: { dtype: "BOOL", dims: ["n"] }, value: Uint8Array.of(1) }],
  ["a lone surrogate", { type: { dtype: "BYTES", dims: ["n"] }, value: ["a\ud800"] }],
  ["a batch without rows", { type: { dtype: "FP32", dims: ["batch", 3] }, value: [] }],
  ["a number that FP32 cannot hold", { type: { dtype: "FP32", dims: ["n"] }, value: [1e39] }],
  ["a bigint for 32 bits", { type: { dtype: "INT32", dims: ["n"] }, value: [1n] }],
  ["lists with a dim of size 1", { type: { dtype: "BYTES", dims: ["batch", 1] }, value: [["a"], ["b"]] }],
  [
    "a shape with some of the dims of size 1",
    { type: { dtype: "FP32", dims: ["n", 1, 1] }, value: { data: [1, 2], shape: [2, 1] } },
  ],
])("both refuse %s", (_, one) => {
  expect([passed(one), sent(one)]).toEqual(["refused", "refused"]);
});
