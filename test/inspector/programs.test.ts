import { type ChildProcess, execFile, spawn } from "node:child_process";
import { delimiter } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, promisify } from "node:util";
import {
  type Element,
  type FieldValue,
  type ModelView,
  type Overview,
  pictureForm,
  type PictureScaling,
  pixelsFor,
  requestBody,
  type RequestBody,
  type RunEvent,
  type SnippetLanguage,
  snippetOf,
} from "@tritype/inspector/view";
import { buildModel } from "@tritype/onnx";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { serveDev } from "../client/built-example.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { pythonTool, withPackages } from "../environment/python-tool.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { encodePng } from "../../packages/inspector/src/png.ts";
import { still } from "./picture-models.ts";

/** An ensemble with a typed client and inputs of several kinds. */
const pipeline = `import { bool, bytes, defineEnsemble, fp32, int64, json, step } from "tritype";

const describe = step({
  name: "describe",
  inputs: { order: json<{ id: number; items: string[] }>(), note: bytes("batch", 1), number: int64("batch", 1), gift: bool("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ order, note, number, gift }) => ({ text: [order.id, ...order.items, note, number, gift].join("|") }),
});

export const describe_order = defineEnsemble({
  name: "describe_order",
  maxBatchSize: 4,
  inputs: { order: json<{ id: number; items: string[] }>(), note: bytes("batch", 1), number: int64("batch", 1), gift: bool("batch", 1) },
  run: (given) => describe(given),
});

export const scores = defineEnsemble({
  name: "scores",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ scores: x.softmax(-1) }),
});
`;

const port = (name: string, type: string, dims: string): string =>
  `{ name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ] }`;
const config = (type: string, dims = "-1", more = ""): string =>
  `backend: "python"\ninput ${port("X", type, dims)}\noutput ${port("Y", type, dims)}\n${more}`;
const python = (body: string): string => `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
${body}
`;
const same =
  python(`        x = [pb_utils.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", one)]) for one in x]`);
const words = python(`        for request in requests:
            sender = request.get_response_sender()
            text = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()[0].decode()
            for word in text.split(" "):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([word.encode()], np.object_))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None`);
/** The digits of each integer, because JSON of large integers is not exact in JavaScript. */
const digits =
  python(`        x = [pb_utils.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        texts = [np.array([str(number) for number in one], np.object_) for one in x]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", one)]) for one in texts]`);

const asFloats = same.replace(".as_numpy()", ".as_numpy().astype(np.float32)");

/** The number, and the id of its sequence. */
const tally = python(`        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "X").as_numpy() * 1000
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("Y", x + request.correlation_id())]))
        return responses`);

/** The same as two responses. */
const tallies = python(`        for request in requests:
            sender = request.get_response_sender()
            x = pb_utils.get_input_tensor_by_name(request, "X").as_numpy() * 1000
            for number in (x, x + request.correlation_id()):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", number.astype(np.int32))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None`);

/** An ONNX model whose name HTTP libraries encode. Triton's Python backend refuses such names. */
const odd = "<b>'{x}'";
const identity = (): Uint8Array => {
  const type = { dtype: "FP32", dims: [-1] } as const;
  return buildModel(
    { name: "identity", inputs: [{ name: "X", type }], outputs: [{ name: "Y", type }] },
    (b) => ({ Y: b.node("Identity", ["X"])[0] }),
  );
};

/** Sends every number of X in a response of its own. */
const floats = python(`        for request in requests:
            sender = request.get_response_sender()
            x = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
            for number in x:
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([number], np.float32))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None`);
/** A number, and the size of a text. */
const measured = python(`        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
            size = len(pb_utils.get_input_tensor_by_name(request, "FILE").as_numpy()[0])
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.append(x, size).astype(np.float32))]))
        return responses`);

const models: Readonly<Record<string, readonly [config: string, code: string]>> = {
  texts: [config("STRING"), same],
  numbers: [config("FP32", "-1, 2"), same],
  integers: [config("INT64").replace(port("Y", "INT64", "-1"), port("Y", "STRING", "-1")), digits],
  flags: [config("BOOL"), same],
  words: [config("STRING", "1", "model_transaction_policy { decoupled: true }\n"), words],
  floats: [config("FP32", "-1", "model_transaction_policy { decoupled: true }\n"), floats],
  measured: [`${config("FP32")}input ${port("FILE", "STRING", "1")}\n`, measured],
  pictured: [`${config("FP32").replace("-1", "3, 20, 24")}input ${port("FILE", "STRING", "1")}\n`, measured],
  pixels: [config("UINT8", "-1, -1, 3", "max_batch_size: 2\n"), same],
  grey: [
    config("FP16", "20, 24, 1").replace(port("Y", "FP16", "20, 24, 1"), port("Y", "FP32", "20, 24, 1")),
    asFloats,
  ],
  tally: [
    config(
      "INT32",
      "1",
      "max_batch_size: 1\nsequence_batching { max_sequence_idle_microseconds: 60000000 }\n",
    ),
    tally,
  ],
  tallies: [
    config(
      "INT32",
      "1",
      "max_batch_size: 1\nmodel_transaction_policy { decoupled: true }\nsequence_batching { max_sequence_idle_microseconds: 60000000 }\n",
    ),
    tallies,
  ],
};

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveDev>>;
let programs: ChildProcess;
/** Runs a Python program, and returns its output. */
let runPython: (file: string) => Promise<string>;
let views: readonly ModelView[];
let grpc: string | undefined;

beforeAll(async () => {
  const path = await pythonWithNumpy();
  vi.stubEnv("TRITYPE_PYTHON", path);
  const packages = await Promise.all([
    pythonTool("tritonclient[http]", "2.73.0"),
    pythonTool("tritonclient[grpc]", "2.73.0"),
    pythonTool("requests", "2.34.2"),
    pythonTool("pillow", "12.0.0"),
  ]);
  project = makeProject({
    "pipeline.ts": pipeline,
    [`build/model_repository/${odd}/config.pbtxt`]: config("FP32").replace("python", "onnxruntime"),
    [`build/model_repository/${odd}/1/model.onnx`]: identity(),
    ...Object.fromEntries(
      Object.entries(models).flatMap(([name, [text, code]]) => [
        [`build/model_repository/${name}/config.pbtxt`, text],
        [`build/model_repository/${name}/1/model.py`, code],
      ]),
    ),
  });
  const script = fileURLToPath(new URL("run_programs.py", import.meta.url));
  const env = { ...withPackages(packages.join(delimiter)), PYTHONIOENCODING: "utf-8" };
  const child = spawn(path, [script], { cwd: project.root, env, stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  runPython = async (name) => {
    child.stdin.write(`${name}\n`);
    const [status, output] = JSON.parse(String((await answers.next()).value)) as [number, string];
    if (status !== 0) throw new Error(output);
    return output;
  };
  programs = child;
  server = await serveDev(project, ["--no-watch"]);
  ({ models: views, grpc } = (await (
    await fetch(`${server.url}/inspector/api/overview`)
  ).json()) as Overview);
}, 600_000);
afterAll(async () => {
  programs?.kill();
  await server?.stop();
  project?.remove();
  vi.unstubAllEnvs();
});

/** The elements of each output. */
type Answer = Readonly<Record<string, readonly Element[]>>;

const bodyOf = (
  model: ModelView,
  fields: Readonly<Record<string, FieldValue>>,
  parameters = {},
): RequestBody => requestBody(model.inputs, new Map(Object.entries(fields)), parameters);

const viewOf = (name: string): ModelView => {
  const view = views.find((one) => one.name === name);
  if (view === undefined) throw new Error(`no model ${name}`);
  return view;
};

/** The answers that the page shows, one for each response. */
const pageAnswers = async (
  name: string,
  { parts, headerLength }: RequestBody,
): Promise<readonly Answer[]> => {
  const head = JSON.stringify({ model: name, headerLength, record: false, other: false });
  const response = await fetch(`${server.url}/inspector/api/run`, {
    method: "POST",
    body: new Blob([`${head}\n`, ...parts]),
  });
  const events = (await response.text()).trim().split("\n");
  return events
    .map((line) => JSON.parse(line) as RunEvent)
    .flatMap((event) =>
      event.kind === "response"
        ? [Object.fromEntries(event.outputs.map(({ name: output, elements }) => [output, elements]))]
        : [],
    );
};

const run = async (command: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd: project.root, maxBuffer: 1e7 })).stdout;

let written = 0;
/** Runs a JavaScript program in this process, which has loaded the packages that it imports, and returns its output. */
const runJavaScript = async (program: string): Promise<string> => {
  const file = `request-${written++}.mjs`;
  project.write(file, program);
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values: readonly unknown[]) => {
    printed.push(format(...values));
  });
  const before = process.cwd();
  process.chdir(project.root);
  try {
    await import(pathToFileURL(project.path(file)).href);
    return printed.join("\n");
  } finally {
    process.chdir(before);
    log.mockRestore();
  }
};

const programOf = (language: SnippetLanguage, name: string, body: RequestBody): string =>
  snippetOf(language, viewOf(name), body, server.url, isTyped(name), grpc);
const isTyped = (name: string): boolean => name === "scores" || name === "describe_order";

/** Runs the program of each language, and reads what it got. */
const programAnswers: Readonly<
  Record<SnippetLanguage, (name: string, body: RequestBody) => Promise<Answer>>
> = {
  curl: async (name, body) => {
    project.write("request.sh", programOf("curl", name, body));
    const { outputs } = readJson(await run("sh", ["request.sh"])) as {
      readonly outputs: readonly { readonly name: string; readonly data: readonly Element[] }[];
    };
    return Object.fromEntries(outputs.map((output) => [output.name, output.data]));
  },
  TypeScript: async (name, body) => {
    const names = viewOf(name).outputs.map((output) => output.name);
    const print = isTyped(name)
      ? `const plain = (x) => (Number.isNaN(x) || Math.abs(x) === Infinity ? String(x) : x);
console.log(JSON.stringify({ ${names.map((one) => `${one}: Array.from(${one}.data, plain)`).join(", ")} }));`
      : "console.log(JSON.stringify(Object.fromEntries(outputs.map(({ name, data }) => [name, data]))));";
    return JSON.parse(await runJavaScript(`${programOf("TypeScript", name, body)}\n${print}`)) as Answer;
  },
  Python: async (name, body) => {
    const names = JSON.stringify(viewOf(name).outputs.map((output) => output.name));
    project.write(
      "request.py",
      `${programOf("Python", name, body)}
import json
def plain(value): return value.decode() if isinstance(value, bytes) else value
print(json.dumps({name: [plain(one) for one in result.as_numpy(name).ravel().tolist()] for name in ${names}}))`,
    );
    const printed = await runPython("request.py");
    return readJson(printed.trim().split("\n").at(-1) ?? "") as Answer;
  },
};

/** JSON as Triton and Python write it: NaN and infinities become strings. */
const readJson = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|NaN|-?Infinity/g, (token) =>
      token.startsWith('"') ? token : `"${token}"`,
    ),
  );

/** FP32 as JavaScript's numbers. */
const comparable = (answer: Answer): unknown =>
  Object.fromEntries(
    Object.entries(answer).map(([name, elements]) => [
      name,
      elements.map((element) => (typeof element === "number" ? Math.fround(element) : element)),
    ]),
  );

const rows = (...given: readonly string[]): FieldValue => ({ kind: "rows", rows: given });
const json = (text: string): FieldValue => ({ kind: "json", text });
const file = (name: string, text: string): FieldValue => ({
  kind: "file",
  name,
  type: "text/plain",
  bytes: new TextEncoder().encode(text),
});

const awkward = `it's "two"\nlines \\ \\n $HOME \`date\` %s é \u{1F600} \u2028 </script>`;

const cases: readonly (readonly [what: string, model: string, Readonly<Record<string, FieldValue>>])[] = [
  ["text", "texts", { X: rows(awkward) }],
  ["several texts", "texts", { X: json(JSON.stringify(["true", "null", awkward])) }],
  ["escapes of JSON", "texts", { X: json(String.raw`["\ud83d\ude00 \/ é \b"]`) }],
  ["a text of 19,000 characters", "texts", { X: rows("it's long ".repeat(1900)) }],
  ["numbers", "numbers", { X: json("[[0.5, -1e-7], [3, 4]]") }],
  ["large integers", "integers", { X: json("[9007199254740993, -9007199254740993]") }],
  ["NaN and infinities", "numbers", { X: json("[[nan, -Infinity], [Infinity, -1e-7]]") }],
  ["NaN for a typed client", "scores", { x: json("[[NaN, 2, 3, 4], [0, 0, -Infinity, 1]]") }],
  ["NaN, and a file", "measured", { X: json("[NaN, -Infinity]"), FILE: file("a.txt", awkward) }],
  ["truth values", "flags", { X: json("[true, false]") }],
  ["numbers for a typed client", "scores", { x: json("[[1, 2, 3, 4], [0, 0, 0, 1]]") }],
  [
    "JSON, text, an integer and a truth value for a typed client",
    "describe_order",
    {
      order: rows('{ "id": 7, "items": ["it\'s", "a \\"b\\""] }'),
      note: rows(awkward),
      number: rows("-9007199254740993"),
      gift: rows("true"),
    },
  ],
  [
    "a file between other values for a typed client",
    "describe_order",
    {
      order: rows('{ "id": 1, "items": [] }'),
      note: file("note.txt", awkward),
      number: rows("3"),
      gift: rows("false"),
    },
  ],
  ["a file", "texts", { X: file("it's a file.txt", awkward) }],
];

const languages = ["curl", "TypeScript", "Python"] as const;

test.each(cases)("%s: every program gets the page's answer", async (_, name, fields) => {
  const body = bodyOf(viewOf(name), fields);
  for (const [, value] of Object.entries(fields))
    if (value.kind === "file") project.write(value.name, Buffer.from(value.bytes));
  const [answer = {}, ...more] = await pageAnswers(name, body);
  expect(more).toEqual([]);
  expect(Object.values(answer).flat()).not.toEqual([]);
  for (const language of languages)
    expect([language, comparable(await programAnswers[language](name, body))]).toEqual([
      language,
      comparable(answer),
    ]);
});

test.each([
  ["pictured", "imagenet", { FILE: file("a.txt", awkward) }],
  ["pixels", "bytes", {}],
  ["grey", "signed", {}],
] as const)("a picture for %s: every program sends the page's tensor", async (name, scaling, more) => {
  const view = viewOf(name);
  const picture = pictureValue(view, "it's a picture.png", scaling);
  const body = bodyOf(view, { X: picture, ...more });
  const answers = await pageAnswers(name, body);
  expect(Object.values(answers[0] ?? {}).flat().length).toBeGreaterThan(400);
  project.write(picture.name, picture.bytes);
  project.write("a.txt", awkward);
  project.write("X.bin", Buffer.from(body.files[0] ?? []));
  for (const language of languages)
    expect([language, comparable(await programAnswers[language](name, body))]).toEqual([
      language,
      comparable(answers[0] ?? {}),
    ]);
  expect(programOf("curl", name, body)).toMatch(/^# X\.bin contains "it's a picture\.png" as [^\n]* Python /);
  expect(snippetOf("TypeScript", view, body, server.url, true)).toBe(programOf("TypeScript", name, body));
});

/** A picture of 36 × 30 pixels for the input X. */
const pictureValue = (view: ModelView, name: string, scaling: PictureScaling) => {
  const [width, height] = [36, 30];
  const [input] = view.inputs;
  const form = input && pictureForm(input);
  if (form === undefined) throw new Error("not a picture");
  const values = still(width, height);
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (const [at, value] of values.entries()) data[Math.floor(at / 3) * 4 + (at % 3)] = value;
  const bytes = Uint8Array.from(encodePng({ width, height, channels: 3, values }));
  const read = pixelsFor(form, { width, height, data });
  return { kind: "picture", name, type: "image/png", bytes, form, scaling, ...read } as const;
};

test("a request of a sequence: every program gets the page's answer", async () => {
  const parameters = { sequence_id: 7, sequence_start: true, sequence_end: true };
  const body = bodyOf(viewOf("tally"), { X: rows("4") }, parameters);
  expect(await pageAnswers("tally", body)).toEqual([{ Y: [4007] }]);
  for (const language of languages)
    expect([language, await programAnswers[language]("tally", body)]).toEqual([language, { Y: [4007] }]);
});

test("a stream: every program gets the page's responses", async () => {
  const body = bodyOf(viewOf("words"), { X: rows('it\'s "two" thr\u00e9e') });
  const pieces = (await pageAnswers("words", body)).map(({ Y }) => String(Y?.[0]));
  expect(pieces).toEqual(["it's", '"two"', "thr\u00e9e"]);
  project.write("request.sh", programOf("curl", "words", body));
  project.write("request.py", programOf("Python", "words", body));
  for (const printed of [
    await run("sh", ["request.sh"]),
    await runJavaScript(programOf("TypeScript", "words", body)),
    await runPython("request.py"),
  ]) {
    const events = printed.split("\n").filter((line) => line.startsWith("data: "));
    expect(events.map((line) => (JSON.parse(line.slice(6)) as { Y: string }).Y)).toEqual(pieces);
  }
});

test("a stream of a sequence: Python and TypeScript get the page's responses over gRPC, and curl says why it cannot", async () => {
  const parameters = { sequence_id: 7, sequence_start: true, sequence_end: true };
  const body = bodyOf(viewOf("tallies"), { X: rows("4") }, parameters);
  expect(await pageAnswers("tallies", body)).toEqual([{ Y: [4000] }, { Y: [4007] }]);
  project.write("request.py", programOf("Python", "tallies", body));
  // In a process of its own, which would not end if the program left the connection open.
  project.write("request.mjs", programOf("TypeScript", "tallies", body));
  for (const printed of [await run(process.execPath, ["request.mjs"]), await runPython("request.py")])
    expect(printed.match(/\b400\d\b/g)).toEqual(["4000", "4007"]);
  expect(programOf("curl", "tallies", body)).toMatch(/^# There is no program: .* no sequences, .* Python/);
});

test("a stream of NaN and infinities: every program gets the page's responses", async () => {
  const body = bodyOf(viewOf("floats"), { X: json("[NaN, -Infinity, 0.5]") });
  const numbers = (await pageAnswers("floats", body)).map(({ Y }) => Y?.[0]);
  expect(numbers).toEqual(["NaN", "-Infinity", 0.5]);
  project.write("request.sh", programOf("curl", "floats", body));
  project.write("request.py", programOf("Python", "floats", body));
  for (const printed of [
    await run("sh", ["request.sh"]),
    await runJavaScript(programOf("TypeScript", "floats", body)),
    await runPython("request.py"),
  ]) {
    const events = printed.split("\n").filter((line) => line.startsWith("data: "));
    expect(events.map((line) => (readJson(line.slice(6)) as { Y: unknown }).Y)).toEqual(numbers);
  }
});

test("curl reaches a model whose name HTTP libraries encode; the other programs say that they cannot", async () => {
  const body = bodyOf(viewOf(odd), { X: json("[5]") });
  expect(await pageAnswers(odd, body)).toEqual([{ Y: [5] }]);
  expect(await programAnswers.curl(odd, body)).toEqual({ Y: [5] });
  for (const language of ["TypeScript", "Python"] as const) {
    expect(programOf(language, odd, body)).toMatch(/^(?:#|\/\/) Triton does not decode addresses, /);
    await expect(programAnswers[language](odd, body)).rejects.toThrow();
  }
});

test("a program that leaves out a value because it is too long says so", async () => {
  const body = bodyOf(viewOf("texts"), { X: rows("x".repeat(30_000)) });
  expect((await pageAnswers("texts", body))[0]?.["Y"]?.[0]).toHaveLength(20_000);
  for (const language of languages)
    expect(programOf(language, "texts", body)).toContain(
      "The value of X is too long to show here: replace …",
    );
});
