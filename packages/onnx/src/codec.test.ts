import { expect, test } from "vitest";
import { decodeModel, encodeModel } from "./codec.ts";
import type { ModelProto } from "./model-proto.ts";

const withTensor = (tensor: object): ModelProto => ({ irVersion: 8, graph: { initializer: [tensor] } });
const tensorIn = (model: ModelProto) => model.graph?.initializer?.[0];

test("64-bit integers are numbers if exact, otherwise bigints", () => {
  const int64Data = [0, -1, Number.MAX_SAFE_INTEGER, 2n ** 60n, -(2n ** 63n), 2n ** 63n - 1n];
  const uint64Data = [0, 2n ** 64n - 1n];
  const read = tensorIn(decodeModel(encodeModel(withTensor({ int64Data, uint64Data }))));
  expect(read?.int64Data).toEqual(int64Data);
  expect(read?.uint64Data).toEqual(uint64Data);
});

test("raw data shares memory with the file", () => {
  const bytes = encodeModel(withTensor({ rawData: Uint8Array.of(1, 2, 3) }));
  const read = tensorIn(decodeModel(bytes))?.rawData;
  expect(read?.buffer).toBe(bytes.buffer);
  expect([...(read ?? [])]).toEqual([1, 2, 3]);
});

test("a large model is read without copying its weights", () => {
  const rawData = new Uint8Array(90_000_000);
  const bytes = encodeModel(withTensor({ rawData }));
  const read = tensorIn(decodeModel(bytes))?.rawData;
  expect(read?.byteLength).toBe(rawData.byteLength);
  expect(read?.buffer).toBe(bytes.buffer);
});

test("fields that the interfaces do not list survive", () => {
  const graph = {
    name: "g",
    quantizationAnnotation: [{ tensorName: "w" }],
    metadataProps: [{ key: "a", value: "b" }],
  };
  const model: ModelProto = { irVersion: 10, graph };
  expect(decodeModel(encodeModel(model))).toEqual(model);
});
