import { encodeUtf8, PipelineError, valuesOf } from "@tritype/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  finish,
  grpcInferResponse,
  grpcReplySteps,
  inferResponseSteps,
  parseInferRequest,
  type Steps,
} from "./index.ts";
import { parseExactJson } from "./exact-json.ts";
import { readJsonData } from "./json-data.ts";
import { tensorJsonSteps } from "./parse-json.ts";
import { JsonArrayText, type JsonValue } from "./json-value.ts";

const owner = { model: "m", input: "x", id: "" };
const attempt = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return PipelineError.is(error) ? error.message : error;
  }
};
/** The number of times that the steps can be interrupted. */
const pauses = (steps: Steps<unknown>): number => {
  for (let count = 0; ; count++) if (steps.next().done === true) return count;
};

describe("data as text", () => {
  const dtype = fc.constantFrom("FP32", "FP64", "INT8", "INT64", "UINT64", "BOOL", "BYTES");
  const leaf = fc.oneof(
    fc.constantFrom(
      ..."0 -0 1 -1 255 1.0 2e0 0.1 1e30 -1.5E-7 NaN -Inf Infinity 9007199254740993 18446744073709551615 1e400".split(
        " ",
      ),
      "true",
      "false",
      "null",
      "{}",
      '{"a":[1]}',
      '""',
      '"é😀"',
      '"\\u0000\\ud83d\\ude00\\n"',
      '"\\u00e9x"',
    ),
    fc.double().map(String),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 65n }).map(String),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  );
  const { data } = fc.letrec<{ data: string; element: string }>((tie) => ({
    element: fc.oneof({ depthSize: "small" }, leaf, tie("data")),
    data: fc.array(tie("element"), { maxLength: 4 }).map((elements) => `[ ${elements.join(" ,")}]`),
  }));

  it("gives the same result as parsing into a tree, and rejects with the same message", () => {
    fc.assert(
      fc.property(dtype, fc.nat(5), data, (type, count, text) => {
        const options = { keepDoubles: true };
        const read = (value: JsonValue): unknown =>
          attempt(() => {
            const tensor = finish(readJsonData(owner, type as "FP32", [count], value as JsonArrayText));
            return tensor.dtype === "BYTES" ? tensor.data.map((bytes) => [...bytes]) : valuesOf(tensor);
          });
        const whole = attempt(() => parseExactJson(text, options));
        const later = attempt(
          () =>
            (
              parseExactJson(`{"data":${text}}`, { ...options, data: new Set(["data"]) }) as {
                data: JsonValue;
              }
            ).data,
        );
        if (later instanceof JsonArrayText) expect(read(later)).toEqual(read(whole as JsonValue));
        else expect(typeof whole).toBe("string");
      }),
      { numRuns: 2000 },
    );
  });

  it("allocates memory only for elements that the data can contain", () => {
    const text = new JsonArrayText(encodeUtf8("[1]"), true);
    expect(() => finish(readJsonData(owner, "FP64", [2 ** 40], text))).toThrow("Shape does not match");
  });

  it.each<[string, "FP32" | "BYTES", string]>([
    ["numbers", "FP32", "1,".repeat(500_000)],
    ["texts", "BYTES", '"",'.repeat(300_000)],
    ["a long text", "BYTES", `"${"x".repeat(1_000_000)}",`],
    ["a long text of escapes", "BYTES", `"${"\\n".repeat(500_000)}",`],
  ])("can be interrupted within %s", (_, dtype, elements) => {
    const last = dtype === "BYTES" ? '""' : "1";
    const count = elements.split(",").length;
    const text = new JsonArrayText(encodeUtf8(`[${elements}${last}]`), true);
    expect(pauses(readJsonData(owner, dtype, [count], text))).toBeGreaterThan(40);
  });
});

it.each([0, 1, 2, 3])(
  "splits a long name into pieces without splitting a character, %i bytes further",
  (shift) => {
    const id = "x".repeat(shift) + "aé€😀\n\u0001".repeat(100_000);
    const body = encodeUtf8(JSON.stringify({ id, inputs: [] }));
    expect(parseInferRequest({ model: "m", body }).request.id).toBe(id);
  },
);

it("can be interrupted within a response of 64 MB, over HTTP and gRPC", () => {
  const data = new Uint8Array(2 ** 26);
  const outputs = new Map([["y", { dtype: "UINT8" as const, shape: [2 ** 26], data }]]);
  const response = { model: "m", version: "1", id: "", outputs };
  const format = { binary: new Map(), binaryByDefault: true, classes: new Map() };
  expect(pauses(inferResponseSteps(response, format))).toBeGreaterThanOrEqual(64);
  for (const streamed of [false, true])
    expect(pauses(grpcReplySteps(grpcInferResponse(response), streamed))).toBeGreaterThanOrEqual(64);
});

const space = " ".repeat(20_000);
it.each<[string, string, number]>([
  ["an id", `{"id":"${"x".repeat(2_000_000)}","inputs":[]}`, 200],
  ["an id of escapes", `{"id":"${"\\n".repeat(1_000_000)}","inputs":[]}`, 300],
  ["white space", `{"inputs":[${`{"a":1},${space}`.repeat(100)}{}]}`, 100],
  ["white space before brackets", `{"a":${"[".repeat(100)}1${`${space}]`.repeat(100)}}`, 100],
  ["white space before brackets of data", `{"data":${"[".repeat(90)}1${`${space}]`.repeat(90)}}`, 90],
])("can be interrupted within %s", (_, text, least) => {
  const steps = tensorJsonSteps(encodeUtf8(text), {});
  expect(pauses(steps)).toBeGreaterThanOrEqual(least);
});

describe("rejects requests at the first error", () => {
  const infer = (shape: string, data = "[]"): (() => unknown) => {
    const body = encodeUtf8(`{"inputs":[{"name":"x","datatype":"FP32","shape":[${shape}],"data":${data}}]}`);
    return () => parseInferRequest({ model: "m", body });
  };
  it.each<[string, () => unknown, string]>([
    [
      "40,000 dims that no count can hold",
      infer(Array(40_000).fill("9223372036854775807").join(",")),
      "causes total element count to exceed maximum size of 9223372036854775807",
    ],
    [
      "a million dims of 1",
      infer(`${"1,".repeat(1_000_000)}1`),
      "more than 65536 values outside tensor data",
    ],
    [
      "brackets",
      () => parseInferRequest({ model: "m", body: encodeUtf8("[".repeat(5_000_000)) }),
      "nesting depth",
    ],
    ["brackets in data", infer("1", "[".repeat(5_000_000)), "nesting depth"],
    [
      "an id of 5 MB",
      () =>
        parseInferRequest({ model: "m", body: encodeUtf8(`{"id":"${"x".repeat(5_000_000)}","inputs":[]}`) }),
      "more than 4194304 bytes of text outside tensor data",
    ],
    [
      "names of 5 MB together",
      () =>
        parseInferRequest({
          model: "m",
          body: encodeUtf8(`{"parameters":{${`"${"x".repeat(50_000)}":1,`.repeat(100)}"a":1},"inputs":[]}`),
        }),
      "more than 4194304 bytes of text outside tensor data",
    ],
    ["2 MB of white space", infer(`1${" ".repeat(2_000_000)}`), "more than 1048576 bytes of white space"],
    ["2 MB of white space in data", infer("1", `[1${" ".repeat(2_000_000)}]`), "of white space in one place"],
    [
      "300,000 inputs",
      () =>
        parseInferRequest({
          model: "m",
          body: encodeUtf8(
            `{"inputs":[${Array.from({ length: 300_000 }, (_, i) => `{"name":"x${i}","datatype":"FP32","shape":[1],"data":[1]}`).join(",")}]}`,
          ),
        }),
      "more than 65536 values outside tensor data",
    ],
  ])("%s", (_, act, text) => {
    expect(attempt(act)).toContain(text);
  });
});
