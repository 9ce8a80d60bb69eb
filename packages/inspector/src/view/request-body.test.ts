import { parseInferRequest } from "@tritype/protocol";
import { valuesOf } from "@tritype/core";
import { expect, test } from "vitest";
import type { TensorView } from "../api.ts";
import { type FieldValue, fieldKind, requestBody, startValue } from "./request-body.ts";
import { snippetOf } from "./snippets.ts";
import { model as modelView } from "./view.fixture.ts";

const input = (name: string, dtype: string, ...dims: readonly (number | string)[]): TensorView => ({
  name,
  dtype,
  dims,
});

/** The tensors that a server reads from the body of a form. */
const sent = async (inputs: readonly TensorView[], values: Readonly<Record<string, FieldValue>>) => {
  const { parts, headerLength } = requestBody(inputs, new Map(Object.entries(values)));
  const body = new Uint8Array(await new Blob([...parts]).arrayBuffer());
  const { request } = parseInferRequest({ model: "m", body, headerLength });
  return [...request.inputs].map(([name, tensor]) => [name, tensor.dtype, tensor.shape, valuesOf(tensor)]);
};

test("text, numbers and choices become rows", async () => {
  const inputs = [input("t", "BYTES", "batch", 1), input("n", "INT64", "batch", 1), input("b", "BOOL", 1)];
  expect(inputs.map(fieldKind)).toEqual(["text", "number", "choice"]);
  expect(
    await sent(inputs, {
      t: { kind: "rows", rows: ['"quoted"', "ü\n"] },
      n: { kind: "rows", rows: ["9007199254740993", "-1"] },
      b: { kind: "rows", rows: ["true"] },
    }),
  ).toEqual([
    ["t", "BYTES", [2, 1], ['"quoted"', "ü\n"]],
    ["n", "INT64", [2, 1], [9007199254740993n, -1n]],
    ["b", "BOOL", [1], [true]],
  ]);
});

test("nested lists have their own shape; leading sizes of 1 may be left out", async () => {
  const x = input("x", "FP32", "batch", 2, -1);
  expect(fieldKind(x)).toBe("json");
  expect(startValue(x)).toEqual({ kind: "json", text: "[[[0], [0]]]" });
  expect(await sent([x], { x: { kind: "json", text: "[[1, 2, 3], [4, 5, 6.5]]" } })).toEqual([
    ["x", "FP32", [1, 2, 3], [1, 2, 3, 4, 5, 6.5]],
  ]);
});

test("a file is one element", async () => {
  const bytes = Uint8Array.of(0, 255, 10);
  const { parts, headerLength } = requestBody(
    [input("f", "BYTES", "batch", 1)],
    new Map([["f", { kind: "file", name: "a.png", type: "image/png", bytes }]]),
  );
  const body = new Uint8Array(await new Blob([...parts]).arrayBuffer());
  const { request } = parseInferRequest({ model: "m", body, headerLength });
  expect(request.inputs.get("f")).toEqual({ dtype: "BYTES", shape: [1, 1], data: [bytes] });
});

test("an optional input that is empty is left out, and a wrong value names its input", async () => {
  const optional: TensorView = { ...input("o", "BYTES", 1), optional: true };
  expect(await sent([optional], { o: { kind: "rows", rows: [""] } })).toEqual([]);
  expect(() => requestBody([input("n", "FP32", 1)], new Map([["n", { kind: "rows", rows: ["x"] }]]))).toThrow(
    'n: "x" is not a number',
  );
  expect(() => requestBody([input("n", "FP32", 2)], new Map([["n", { kind: "json", text: "[" }]]))).toThrow(
    "n: expected JSON, such as [0, 0]",
  );
});

const model = modelView("m", { inputs: [input("text", "BYTES", 1)], outputs: [input("out", "FP32", 1)] });
const body = requestBody(model.inputs, new Map([["text", { kind: "rows", rows: ["it's true"] }]]));

test("programs quote their strings", () => {
  expect(snippetOf("curl", model, body, "http://localhost:8000", false)).toBe(
    String.raw`curl 'http://localhost:8000/v2/models/m/infer' -d '{"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["it'\''s true"]}]}'`,
  );
  expect(snippetOf("Python", model, body, "http://localhost:8000", false)).toContain(
    'np.array(["it\'s true"], np.object_).reshape([1])',
  );
});

test("a streaming model is called with generate_stream", () => {
  const streaming = { ...model, streams: true };
  expect(snippetOf("curl", streaming, body, "http://h", false)).toBe(
    String.raw`curl -N 'http://h/v2/models/m/generate_stream' -d '{"text": "it'\''s true"}'`,
  );
  expect(snippetOf("TypeScript", streaming, body, "http://h", true)).toContain(
    'for await (const { out } of client.stream({ text: ["it\'s true"] }))',
  );
});

test("if a name is not an identifier, the client has the name that the build gives it", () => {
  expect(snippetOf("TypeScript", { ...model, name: "text-to.vector" }, body, "http://h", true)).toBe(
    `import { textToVectorClient } from "./build/client/text-to.vector.js";

const client = textToVectorClient({ url: "http://h" });
const { out } = await client.infer({ text: ["it's true"] });`,
  );
});
