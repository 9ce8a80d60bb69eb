import { tensorOf } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { printInferRequest } from "./index.ts";
import { printJsonData } from "./json-data.ts";

describe("printJsonData", () => {
  it.each<[string, Parameters<typeof tensorOf>]>([
    ["[true,false]", ["BOOL", [2], [true, false]]],
    ["[-128,127]", ["INT8", [2], [-128, 127]]],
    ["[-9223372036854775808,9007199254740993]", ["INT64", [2], [-(2n ** 63n), 9007199254740993n]]],
    ["[0.10000000149011612,1.0,-0.0]", ["FP32", [3], [0.1, 1, -0]]],
    ["[0.1,1e21,1e-7,123456789012345680000.0]", ["FP64", [4], [0.1, 1e21, 1e-7, 123456789012345680000]]],
    ["[NaN,Infinity,-Infinity]", ["FP64", [3], [Number.NaN, Infinity, -Infinity]]],
    ['["","\\"\\u0000😀","\uFFFD"]', ["BYTES", [3], ["", '"\0😀', new Uint8Array([0xff])]]],
    ["[]", ["FP32", [0], []]],
  ])("%s", (text, tensor) => {
    expect(printJsonData(tensorOf(...tensor))).toBe(text);
  });
});

describe("printInferRequest as JSON", () => {
  it.each([
    ["FP16", tensorOf("FP16", [1], [1]), "FP16 has no JSON form"],
    ["BF16", tensorOf("BF16", [1], [1]), "BF16 has no JSON form"],
    ["bytes", tensorOf("BYTES", [1], [new Uint8Array([0xff])]), "its bytes are not UTF-8"],
  ])("refuses %s", (_, tensor, reason) => {
    expect(() => printInferRequest({ inputs: new Map([["x", tensor]]) }, { binary: false })).toThrow(
      expect.objectContaining({
        code: "request/invalid",
        message: `input x cannot be sent as JSON: ${reason}; send it as binary data`,
      }),
    );
  });
});
