import { decodeUtf8, encodeUtf8 } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { JsonArrayText, JsonDouble } from "./json-value.ts";
import { parseExactJson } from "./exact-json.ts";
import { parseJson, tensorJsonSteps } from "./parse-json.ts";
import { finish } from "./steps.ts";

describe("parseJson", () => {
  it.each<[string, unknown]>([
    ['{"datatype":"INT64","data":[9007199254740993]}', { datatype: "INT64", data: [9007199254740993n] }],
    ['{"datatype":"FP64","data":[9007199254740993]}', { datatype: "FP64", data: [9007199254740992] }],
    ['{"sequence_id":18446744073709551615}', { sequence_id: 18446744073709551615n }],
    ['{"offset":18446744073709551584}', { offset: 18446744073709551584n }],
    ["[NaN]", [Number.NaN]],
  ])("%s", (text, value) => {
    expect(parseJson(encodeUtf8(text))).toEqual(value);
  });

  it("accepts an integer written as a double", () => {
    expect(parseJson(encodeUtf8('{"datatype":"INT64","data":[1.0,9007199254740993]}'))).toEqual({
      datatype: "INT64",
      data: [1, 9007199254740993n],
    });
  });

  it.each<[string, unknown]>([
    ['{"a":1,"b":2,"a":3}', { a: 1, b: 2 }],
    ['{"a":{"b":1,"b":2},"data":[1,2]}', { a: { b: 1 }, data: [1, 2] }],
    ['{"a":1,"\\u0061":2}', { a: 1 }],
    ['{"id":"\\":","id":"b"}', { id: '":' }],
    ['{"__proto__":1,"__proto__":2}', JSON.parse('{"__proto__":1}')],
  ])("keeps the first of repeated members of a request: %s", (text, value) => {
    expect(read(text)).toEqual(JSON.stringify(value));
  });

  it("gives the position of an error in bytes", () => {
    expect(() => parseJson(encodeUtf8('{"é":'))).toThrow(
      expect.objectContaining({
        code: "request/malformed",
        message: "failed to parse the request JSON buffer: Invalid value. at 6",
      }),
    );
  });
});

describe("the check for integers written as doubles", () => {
  it.each<[string, boolean]>([
    ['{"datatype":"INT32","shape":[2],"data":[1.0]}', true],
    ['{"datatype":"UINT8","shape":[2],"data":[[1],[2e0]]}', true],
    ['{"datatype":"FP32","shape":[2.0],"data":[1,2]}', true],
    ['{"datatype":"FP32","data":[1.5,2],"shape":[1E1]}', true],
    ['{"data":[1.0000000000000000001],"datatype":"INT64"}', true],
    ['{"name":"data","parameters":{"binary_data_size":4.0}}', true],
    ['{"datatype":"INT32","shape":[2],"data":[1,1.5]}', false],
    ['{"datatype":"FP32","shape":[2],"data" : [\n[1.0],[2e0]]}', false],
    ['{"datatype":"FP32","shape":[2],"data":[1.0,', false],
  ])("%s may contain an integer written as a double: %s", (text, expected) => {
    expect(read(text).includes("double")).toBe(expected);
  });
});

/** The value as text, with `double` for integers written as doubles; or the error message. */
const read = (text: string): string => {
  try {
    return JSON.stringify(
      finish(tensorJsonSteps(encodeUtf8(text), { keepDoubles: true })),
      function (this: Readonly<Record<string, unknown>>, key) {
        // Not the second argument, which is the result of toJSON.
        const value = this[key];
        if (value instanceof JsonArrayText) return parseExactJson(decodeUtf8(value.bytes), value);
        if (value instanceof JsonDouble) return "double";
        return typeof value === "bigint" ? String(value) : value;
      },
    );
  } catch (error) {
    return (error as Error).message;
  }
};
