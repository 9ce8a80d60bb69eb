import { cpSync, renameSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { answerHttp } from "../fixtures/listen.ts";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { freePort } from "./free-port.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";
import { mixedSource, tokenizerSource } from "./small-project.ts";

let mixed: ProjectFixture;
let text: ProjectFixture;
beforeAll(() => {
  mixed = makeProject({ "pipeline.ts": mixedSource, "models/double.onnx": doubleModel() });
  text = makeProject({ "pipeline.ts": tokenizerSource });
});
afterAll(() => {
  mixed.remove();
  text.remove();
});

test("texts become the rows of the only text input; only the answer is printed to stdout", async () => {
  const { code, out, err } = await pipeline(text, ["run", "hello", "hello there world"]);
  expect(code).toBe(0);
  expect(out).toBe("input_ids INT64[2, 5]\n  [101, 7592, 102, 0, 0]\n  [101, 7592, 2045, 2088, 102]\n");
  expect(err).toMatch(/^built build\/model_repository .*\n$/);
});

const speaker = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            for word in pb_utils.get_input_tensor_by_name(request, "text").as_numpy()[0][0].decode().split():
                error = pb_utils.TritonError("no such word") if word == "!" else None
                tensor = pb_utils.Tensor("word", np.array([[word.encode()]], dtype=np.object_))
                sender.send(pb_utils.InferenceResponse([tensor], error))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const speakerSource = `import { bytes, defineEnsemble, python } from "tritype";

const speak = python({
  name: "speak",
  file: "speaker.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { word: bytes("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
export const words = defineEnsemble({
  name: "words",
  maxBatchSize: 1,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ word: speak({ text }).word }),
});
`;

test("each response of a stream is printed, up to an error", async () => {
  const project = makeProject({ "pipeline.ts": speakerSource, "speaker.py": speaker });
  onTestFinished(project.remove);
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  onTestFinished(() => void vi.unstubAllEnvs());
  const word = (text: string): string => `word BYTES[1, 1]\n  "${text}"\n`;
  expect(await pipeline(project, ["run", "one two"])).toMatchObject({
    code: 0,
    out: word("one") + word("two"),
  });
  const { code, out, err } = await pipeline(project, ["run", "one ! two"]);
  expect([code, out]).toEqual([1, word("one")]);
  expect(err).toContain("no such word");
  const { out: json } = await pipeline(project, ["run", "one two", "--json"]);
  expect(
    json
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).outputs[0].data),
  ).toEqual([["one"], ["two"]]);
});

test("the ensemble's name comes first; a text may equal the name if that is unambiguous", async () => {
  expect((await pipeline(text, ["run", "ids", "hello"])).out).toContain("[101, 7592, 102]");
  expect((await pipeline(text, ["run", "ids", "ids"])).out).toContain("INT64[1, 4]");
});

test.each([
  [["x=[1,2,3,4]", "flag=true", "n=[1,2]"], "y FP32[1, 4]\n  [1, 2, 3, 4]\nm INT64[1, 2]\n  [2, 3]\n"],
  [
    ["x=[[1,2,3,4],[0.5,-1e3,0,1]]", "flag=[true,false]", "n=[[1,2],[3,4]]"],
    "y FP32[2, 4]\n  [1, 2, 3, 4]\n  [0, 0, 0, 0]\nm INT64[2, 2]\n  [2, 3]\n  [4, 5]\n",
  ],
  [
    ["x=[0.1,2.5,3,4]", "flag=[[true]]", "n=[9007199254740993,-9007199254740993]"],
    "y FP32[1, 4]\n  [0.100000, 2.50000, 3, 4]\nm INT64[1, 2]\n  [9007199254740994, -9007199254740992]\n",
  ],
])("--input %j", async (inputs, answer) => {
  const { code, out, err } = await pipeline(mixed, [
    "run",
    "mix",
    ...inputs.flatMap((input) => ["-i", input]),
  ]);
  expect({ code, out, err }).toMatchObject({ code: 0, out: answer });
});

const mix = (...inputs: readonly string[]): readonly string[] => [
  "mix",
  ...inputs.flatMap((input) => ["-i", input]),
];

test("the first of several words is treated as a misspelt name; a single word is a text", async () => {
  const typo = await pipeline(text, ["run", "idz", "hello"]);
  expect(typo.code).toBe(2);
  expect(typo.err).toContain("there is no ensemble `idz`");
  expect(typo.err).toContain("did you mean `ids`? If `idz` is the input, put the ensemble's name before it");
  expect((await pipeline(text, ["run", "ids", "idz", "hello"])).out).toContain("input_ids INT64[2, ");
  expect((await pipeline(text, ["run", "one two", "hello"])).out).toContain("input_ids INT64[2, ");
});

test.each<[readonly string[], number, string, string]>([
  [[], 2, "which ensemble should run?", "put a name first: ids, mix, total"],
  [["idz", "hello"], 2, "there is no ensemble `idz`", "did you mean `ids`?"],
  [["hello"], 2, "there is no ensemble `hello`", "put a name first: ids, mix, total"],
  [["mix", "hello"], 2, '`mix` has no text input for "hello"', "`n` INT64[-1, 2]: --input name=value"],
  [["ids", "hello", "-i", "text=x"], 2, '`ids` has no text input left for "hello"', "--input name=value"],
  [["ids", "-i", "text"], 2, "--input is text", "write --input name=value"],
  [["ids", "-i", "text=a", "-i", "text=b"], 2, "--input text is given twice", "--input 'text=[…, …]'"],
  [["ids"], 1, "`ids` needs the input `text`, BYTES[-1, 1]", "--input text=…"],
  [["ids", "-i", "txt=a"], 1, "`ids` has no input `txt`", "did you mean `text`?"],
  [mix("x=[1,2,3,4]", "flag=true"), 1, "`mix` needs the input `n`, INT64[-1, 2]", "pass it: --input n=…"],
  [mix("x=a"), 1, "--input x: a is not JSON", "pass FP32[-1, 4] as JSON: [[1, …], …]"],
  [mix("flag=yes"), 1, "--input flag: yes is not JSON", "pass BOOL[-1, 1] as JSON: [[true], …]"],
  [mix('x=[1,2,3,"a"]', "flag=true", "n=[1,2]"), 1, '"a" is not a valid FP32', "pass numbers"],
  [mix("x=[1,2,3,4]", "flag=1", "n=[1,2]"), 1, "1 is not a valid BOOL", "pass true or false"],
  [mix("x=[1,2,3,4]", "flag=true", "n=[1.5,2]"), 1, "1.5 is not a valid INT64", "pass whole numbers"],
  [mix("x=[1,2,3]", "flag=true", "n=[1,2]"), 1, "got FP32[3]", "pass lists of shape [any, 4]"],
  [
    mix("x=[[1,2,3,4],[1,2]]", "flag=true", "n=[1,2]"),
    1,
    "the lists have unequal lengths",
    "same number of values",
  ],
  [
    mix("x=[[1,2,3,4],[1,2,3,4]]", "flag=true", "n=[1,2]"),
    1,
    "batch size does not match other inputs for 'mix'",
    "`mix` takes `x` FP32[-1, 4], `flag` BOOL[-1, 1], `n` INT64[-1, 2]",
  ],
  [
    ["ids", ...Array.from({ length: 9 }, () => "text")],
    1,
    "batch-size must be <= 8",
    "`ids` takes `text` BYTES[-1, 1]",
  ],
])("run %j fails", async (args, exit, message, help) => {
  const { code, out, err } = await pipeline(mixed, ["run", ...args]);
  expect({ code, out, err }).toMatchObject({ code: exit, out: "" });
  expect(err).toMatch(
    exit === 2
      ? /^error\[usage\/invalid\]: /m
      : /^error\[request\/(?:invalid|input-not-json|wrong-value)\]: /m,
  );
  expect(err).toContain(message);
  expect(err).toContain(help);
  expect(err).not.toContain("<id_unknown>");
});

test("a step that cannot be served is reported, with a solution", async () => {
  const { code, out, err } = await pipeline(text, ["run", "hello", "--python"], {
    env: { TRITYPE_PYTHON: "no-such-python" },
  });
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("error[model/not-found]: Request for unknown model: 'ids' has no available versions");
  expect(err).toContain("No Python 3.8 or newer was found (tried: no-such-python)");
});

test("an ensemble with sequences is refused by commands that send single requests, with an alternative", async () => {
  const identity = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("y", pb_utils.get_input_tensor_by_name(request, "x").as_numpy())])
            for request in requests
        ]
`;
  const source = `import { defineEnsemble, fp32, python } from "tritype";
const x = fp32("batch", 1);
const count = python({ name: "count", file: "count.py", inputs: { x }, outputs: { y: x }, sequenceBatching: {} });
export const counted = defineEnsemble({ name: "counted", maxBatchSize: 4, inputs: { x }, run: ({ x }) => count({ x }) });
`;
  const made = makeProject({ "pipeline.ts": source, "count.py": identity });
  onTestFinished(made.remove);
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  for (const [command = "", ...args] of [
    ["run", "--input", "x=1"],
    ["trace", "--input", "x=1"],
    ["bench", "--seconds", "1"],
    ["plan", "--rate", "5", "--p99", "100ms"],
    ["tune", "--target", "latency"],
  ]) {
    const { code, err } = await pipeline(made, [command, ...args], { env });
    expect([command, code]).toEqual([command, 1]);
    expect(err).toContain(
      `error[request/sequences]: \`counted\` has sequences, which \`pipeline ${command}\` does not support\n`,
    );
    expect(err).toContain("with the client's `sequence()`, or with the parameters `sequence_id`, ");
  }
  const iterative = source.replace("sequenceBatching: {}", "sequenceBatching: { iterativeSequence: true }");
  made.write("pipeline.ts", iterative);
  const answered = await pipeline(made, ["run", "--input", "x=1"], { env });
  expect([answered.code, answered.err, answered.out]).toEqual([0, answered.err, "y FP32[1, 1]\n  1\n"]);
});

test("--json prints the KServe v2 answer", async () => {
  const { out } = await pipeline(text, ["run", "hello", "--json"]);
  expect(JSON.parse(out)).toEqual({
    model_name: "ids",
    model_version: "1",
    outputs: [{ name: "input_ids", datatype: "INT64", shape: [1, 3], data: [101, 7592, 102] }],
  });
});

test("--json prints the version that answered", async () => {
  await pipeline(text, ["build"]);
  cpSync(text.path("build"), text.path("versions"), { recursive: true });
  const ids = "versions/model_repository/ids";
  renameSync(text.path(`${ids}/1`), text.path(`${ids}/10`));
  cpSync(text.path(`${ids}/10`), text.path(`${ids}/9`), { recursive: true });
  const { url } = await serveHere(text, ["versions/model_repository", "--no-watch"]);
  const { out } = await pipeline(text, ["run", "--url", url, "ids", "hello", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ model_name: "ids", model_version: "10" });
});

const filteringSource = `import { bytes, defineEnsemble, json, optional, step } from "tritype";

const search = step({
  name: "search",
  inputs: { query: bytes("batch", 1), filter: optional(json<{ readonly brand: string }>()) },
  outputs: { found: bytes("batch", 1) },
  run: ({ query, filter }) => ({ found: \`\${query} of \${filter === undefined ? "any brand" : filter.brand}\` }),
});

export const find = defineEnsemble({
  name: "find",
  maxBatchSize: 4,
  inputs: { query: bytes("batch", 1), filter: optional(bytes("batch", 1)) },
  run: (inputs) => search(inputs),
});
`;

test("an optional input can be left out, and the text is the required input", async () => {
  const filtering = makeProject({ "pipeline.ts": filteringSource });
  onTestFinished(filtering.remove);
  const query = ["-i", "query=shoes"];
  expect(await pipeline(filtering, ["run", ...query])).toMatchObject({
    code: 0,
    out: 'found BYTES[1, 1]\n  "shoes of any brand"\n',
  });
  expect((await pipeline(filtering, ["run", "shoes"])).out).toContain("shoes of any brand");
  expect((await pipeline(filtering, ["trace", "shoes"])).out).toContain("shoes of any brand");
  const one = ["run", ...query, "-i", 'filter={"brand":"Acme"}'];
  expect((await pipeline(filtering, one)).out).toContain("shoes of Acme");
  const needed = await pipeline(filtering, ["run", "-i", 'filter={"brand":"Acme"}']);
  expect(needed.err).toContain("`find` needs the input `query`");
});

test("each value for a JSON input is one row, even if it is a list", async () => {
  const counting = makeProject({
    "pipeline.ts": `import { defineEnsemble, json, int32, step } from "tritype";
const count = step({
  name: "count",
  inputs: { words: json<string[]>(), filter: json<{ min: number }>() },
  outputs: { n: int32("batch", 1) },
  run: ({ words, filter }) => ({ n: words.filter((word) => word.length >= filter.min).length }),
});
export const counted = defineEnsemble({
  name: "counted",
  maxBatchSize: 4,
  inputs: { words: json<string[]>(), filter: json<{ min: number }>() },
  run: (inputs) => count(inputs),
});
`,
  });
  onTestFinished(counting.remove);
  const [words, more] = [
    ["-i", 'words=["a","bc"]'],
    ["-i", "words=[]"],
  ];
  const [two, one] = [
    ["-i", 'filter={"min":2}'],
    ["-i", 'filter={"min":1}'],
  ];
  const single = await pipeline(counting, ["run", ...words, ...two]);
  expect(single).toMatchObject({ code: 0, out: "n INT32[1, 1]\n  1\n" });
  const both = await pipeline(counting, ["run", ...words, ...more, ...one, ...two]);
  expect(both).toMatchObject({ code: 0, out: "n INT32[2, 1]\n  2\n  0\n" });
  expect((await pipeline(counting, ["trace", ...words, ...two])).code).toBe(0);
  const list = await pipeline(counting, ["run", ...words, "-i", 'filter=[{"min":1},{"min":2}]']);
  expect(list.code).toBe(2);
  expect(list.err).toContain("--input filter is a list, but the JSON of a row is of type object");
  expect(list.err).toContain("repeat the option: --input 'filter=…' --input 'filter=…'");
  const text = await pipeline(counting, ["run", ...two, "a"]);
  expect(text.err).toContain("--input words: a is not JSON");
});

test("--url queries a running server and needs no project", async () => {
  const { url } = await serveHere(text, ["--no-watch"]);
  const nowhere = { root: mixed.path("models") };
  const answer = await pipeline(nowhere, ["run", "--url", url, "ids", "hello"]);
  expect(answer).toMatchObject({ code: 0, out: "input_ids INT64[1, 3]\n  [101, 7592, 102]\n", err: "" });
  const absent = await pipeline(nowhere, ["run", "--url", url.replace("http://", ""), "nope", "hello"]);
  expect(absent.code).toBe(1);
  expect(absent.err).toContain("Request for unknown model: 'nope' is not found");
  expect(absent.err).toContain("help: the server has `ids`, `tokenize`");
  for (const command of [["run"], ["bench", "--seconds", "1"]]) {
    const misspelt = await pipeline(nowhere, [...command, "--url", url, "idz"]);
    expect(misspelt.code).toBe(1);
    expect(misspelt.err).toContain("help: did you mean `ids`?");
  }
});

test("a server that does not answer ends the command after --timeout", async () => {
  const url = await answerHttp((request, response) => {
    if (request.url?.endsWith("/infer") === true) return;
    response.setHeader("content-type", "application/json");
    const tensor = (name: string) => ({ name, datatype: "FP32", shape: [1] });
    response.end(JSON.stringify({ name: "m", platform: "", inputs: [tensor("x")], outputs: [tensor("y")] }));
  });
  const run = (...args: readonly string[]) => pipeline(text, ["run", "m", "-i", "x=1", ...args]);
  expect(await run("--url", url, "--timeout", "0.2")).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `error[server/silent]: ${url}/v2/models/m/infer did not answer within 200 ms\n`,
    ),
  });
  expect((await run("--url", url, "--timeout", "soon")).err).toContain("--timeout is soon");
  expect((await run("--timeout", "1")).err).toContain("--timeout needs --url");
});

test.each([["::"], ["ftp://localhost:8000"]])("--url %s is refused", async (url) => {
  const { code, err } = await pipeline(text, ["run", "--url", url, "ids", "hello"]);
  expect(code).toBe(2);
  expect(err).toContain(`error[usage/invalid]: --url is ${url}`);
});

test("--url without a server is reported", async () => {
  const port = await freePort();
  const { code, err } = await pipeline(text, ["run", "--url", `http://127.0.0.1:${port}`, "ids", "hello"]);
  expect(code).toBe(2);
  expect(err).toContain("error[server/unreachable]: ");
  expect(err).toContain(`127.0.0.1:${port}`);
});

test("--url with a server of another protocol is reported", async () => {
  const url = await answerHttp((_, response) => response.end("<html>"));
  const { code, err } = await pipeline(text, ["run", "--url", url, "ids", "hello"]);
  expect([1, 2]).toContain(code);
  expect(err).toMatch(/^error\[/);
});
