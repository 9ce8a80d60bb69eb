import { decodeUtf8, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { classify } from "./classify.ts";

const shown = (...parameters: Parameters<typeof classify>): string => {
  const { shape, data } = classify(...parameters);
  return `[${shape.join(",")}] ${(data as readonly Uint8Array[]).map(decodeUtf8).join(" ")}`;
};

test("returns the largest values of each row, with labels if there are any", () => {
  const scores = tensorOf("FP32", [2, 3], [0.25, 3, -1, 7, 8, 9]);
  expect(shown("O", scores, 2, true, ["cat", "dog"])).toBe(
    "[2,2] 3.000000:1:dog 0.250000:0:cat 9.000000:2 8.000000:1:dog",
  );
});

test("prints floats as C does", () => {
  const values = [1.0078125, 0.0234375, 0.0078125, -0, -0.0078125, -2e-7, -1e22];
  const printed = "1.007812:0 0.023438:1 0.007812:2 -0.000000:3 -0.000000:5 -0.007812:4";
  expect(shown("O", tensorOf("FP64", [1, 7], values), 7, true, [])).toBe(
    `[1,7] ${printed} -10000000000000000000000.000000:6`,
  );
});

test("an empty label is left out, with its colon", () => {
  expect(shown("O", tensorOf("INT8", [1, 2], [2, 1]), 2, true, ["", "b"])).toBe("[1,2] 2:0 1:1:b");
});

test("without a batch, returns the largest values of the whole tensor", () => {
  expect(shown("O", tensorOf("INT64", [2, 2], [1n, -7n, 9n, 0n]), 3, false, [])).toBe("[3] 9:2 1:0 0:3");
});

test("returns at most as many values as there are elements, and none for an empty tensor", () => {
  expect(shown("O", tensorOf("FP32", [1, 2], [1, 2]), 9, true, [])).toBe("[1,2] 2.000000:1 1.000000:0");
  expect(shown("O", tensorOf("FP32", [0, 2], []), 1, true, [])).toBe("[0,0] ");
});

test.each(["BYTES", "BOOL", "FP16"] as const)("%s cannot be ranked", (dtype) => {
  const tensor = tensorOf(dtype, [1, 1], [dtype === "BYTES" ? "a" : dtype === "BOOL" ? true : 1]);
  expect(() => classify("O", tensor, 1, true, [])).toThrow(
    `class result not available for output due to unsupported type '${dtype}'`,
  );
});
