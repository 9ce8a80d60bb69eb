import { expect, it } from "vitest";
import { entries } from "../registry.ts";
import { explainMessage } from "./explain-message.ts";
import { messagePattern } from "./message-pattern.ts";
import { serverMessages } from "./server-messages.ts";
import { wrappers } from "./wrappers.ts";

const says = serverMessages.flatMap((message) => message.says);

it("contains each message once", () => {
  expect(says.filter((one, i) => says.indexOf(one) < i)).toEqual([]);
});

it("refers only to existing rules", () => {
  const known = new Set(entries.map(({ code }) => code));
  const codes = [
    ...serverMessages.flatMap(({ codes: own, atLoad, inEnsemble }) => [
      own,
      atLoad?.codes,
      inEnsemble?.codes,
    ]),
    ...wrappers.map(({ codes: own }) => own),
  ].flatMap((list) => (typeof list === "function" ? [] : (list ?? [])));
  expect(codes.filter((code) => !known.has(code))).toEqual([]);
  expect(new Set(codes).size).toBeGreaterThan(120);
});

it("has enough fixed words in every message to distinguish it from the others", () => {
  for (const one of says) expect(messagePattern(one).weight, one).toBeGreaterThanOrEqual(7);
});

it("uses the more specific of two messages, and the text around it", () => {
  const text =
    "ensemble 'e' depends on 'm' which has no loaded version. Model 'm' loading failed with error: version 1 is at UNAVAILABLE state: Invalid argument: unable to find backend library for backend 'onnx', try specifying runtime on the model configuration.;";
  const explained = explainMessage(text);
  expect(explained).toMatchObject({
    means: "the server has no backend `onnx`",
    phase: "load",
    names: { ensemble: "e", model: "m", version: "1", backend: "onnx" },
    codes: ["backend/misnamed", "backend/not-installed", "backend/misspelt", "ensemble/refused-model"],
  });
});

it.each([
  [
    "input `x`: expected INT32[batch, 2], got [1, 1]",
    "the value for `x` is not a valid INT32[batch, 2]: [1, 1]",
  ],
  [
    "input `text`: expected BYTES[batch, 1], got no rows",
    "`text` is empty: BYTES[batch, 1] needs at least one row",
  ],
  [
    "the connection to http://a:8000 ended before the answer was complete: other side closed",
    "the server, or a",
  ],
  [
    "the server's `embed` is not the one that this client was generated for:\n  input `x`: …",
    "the inputs or outputs of `embed`",
  ],
  [
    "no server answers at http://a:1: connect ECONNREFUSED 127.0.0.1:1",
    "no server is listening on http://a:1",
  ],
  [
    'onnx runtime error 1: External data path validation failed for initializer: w. Error: External data path: "../w.bin" (resolved path: "/models/m/w.bin") escapes both model directory: "/models/m/1" and real model directory: "/models/m/1"',
    "the model's weights are outside the folder of its .onnx file",
  ],
  [
    "onnx runtime error 1: Load model from /models/m/1/model.onnx failed:Fatal error: my.ops:Foo(-1) is not a registered function/op",
    "ONNX Runtime does not have the operator `Foo` of the domain `my.ops`",
  ],
  [
    'onnx runtime error 10: Load model from /models/m/1/model.onnx failed:This is an invalid model. In Node, ("", Reluu, "", -1) : ("x": tensor(float),) -> ("y": tensor(float),) , Error No Op registered for Reluu with domain_version of 17',
    "ONNX Runtime does not have the operator `Reluu` in opset 17",
  ],
  [
    "onnx runtime error 10: This is an invalid model. Error in Node: : Op registered for Upsample is deprecated in domain_version of 17",
    "opset 17 does not have the operator `Upsample` any more",
  ],
  ["no answer within 300 ms", "the call reached its deadline before"],
  ["the stream did not end within 300 ms", "the call reached its deadline before"],
  ["the caller cancelled the request", "the `signal` of the call was aborted"],
  [
    "input `text` of `embed`, BYTES[batch, 1]: 1 is not a valid BYTES",
    "the value for `text` of `embed` is not BYTES[batch, 1]",
  ],
  [
    "/v2/models/m/infer answers 400: unexpected shape for input 'x' for model 'm'. Expected [-1,4], got [1,5]",
    "`m` got [1,5] for `x`, but needs [-1,4]: dim 1 is 5, not 4",
  ],
  [
    "in ensemble 'search', clean: row 2: RangeError: no text (run, line 3, in src/clean.ts)",
    "the function of step `clean` threw: RangeError: no text",
  ],
  [
    "clean: row 2: TypeError: fetch failed (src/clean.ts:3:14)",
    "the function of step `clean` called `fetch` and got no answer",
  ],
  [
    "ask: row 0: CallError: clean: row 2: RangeError: no text (run, line 3, in src/clean.ts) (pipeline.ts:12:20)",
    "the function of step `clean` threw: RangeError: no text",
  ],
  [
    "ask: row 0: CallError: again: row 0: CallError: clean: row 0: Error: no (src/clean.ts:3:14) (again.ts:2:3) (pipeline.ts:12:20)",
    "the function of step `clean` threw: Error: no",
  ],
  [
    "ask: row 0: CallError: rank: in ensemble 'rank', clean: row 2: RangeError: no text (run, line 3, in src/clean.ts) (pipeline.ts:12:20)",
    "the function of step `clean` threw: RangeError: no text",
  ],
  [
    "ask: row 0: CallError: clean: the request took longer than 10 s (pipeline.ts:12:20)",
    "a request to flow `ask` took longer than 10 s, and was waiting for `clean`",
  ],
  [
    "ask: row 0: CallError: clean: the request took longer than 10 s (src/clean.ts:3:1) (pipeline.ts:12:20)",
    "the function of step `clean` did not finish within 10 s",
  ],
  [
    "ask: row 0: Error: fetch: the request took longer than 10 s (pipeline.ts:9:17)",
    "the function of step `ask` was waiting for `fetch` when the request took longer than 10 s",
  ],
  [
    "ask: row 0: Error: response.text(): the request ran out of time (pipeline.ts:9:17)",
    "the function of step `ask` was waiting for `fetch` when the request ran out of time",
  ],
  [
    "ask: row 0: Error: upstream: the request took longer than 5 s (pipeline.ts:9:17)",
    "the function of step `ask` threw: Error: upstream: the request took longer than 5 s",
  ],
  [
    "after: the request ran out of time",
    "step `after` did not answer within the `timeout` that the request was sent with",
  ],
  [
    "ask: row 0: CallError: odd: the request ran out of time (pipeline.ts:12:20)",
    "the flow's request ran out of time while it was waiting for `odd`",
  ],
  [
    'I1127 07:20:11.9 11036 model.py:357] "ask ask_0_0: CallError: odd: the request has already been answered"',
    "a flow called `odd` and did not wait for its answer",
  ],
  [
    "ask: row 0: output y is not JSON: .seen[2] is a bigint; convert it with Number() or String() (pipeline.ts:3:4)",
    "the function of step `ask` returned a result that does not match the step's declaration: `y` is not JSON: .seen[2] is a bigint",
  ],
  [
    "ask: row 0: CallError: odd: out of memory (pipeline.ts:12:20)",
    "the function of step `ask` threw: CallError: odd: out of memory",
  ],
  [
    "ask: row 0: output y is a Promise: await it (pipeline.ts:3:4)",
    "the function of step `ask` returned a result",
  ],
  ["clean: the request took longer than 0.3 s", "the function of step `clean` did not finish within 0.3 s"],
  [
    "clean: row 0: output length has a value that is not a whole number from -128 to 127",
    "the function of step `clean` returned a result that does not match the step's declaration: `length` has a value that is not a whole number",
  ],
  [
    "clean: row 1: output mask has shape [4], wanted [3]",
    "the function of step `clean` returned a result that does not match the step's declaration: `mask` is [4], not [3]",
  ],
  [
    "the JSON at .income: number expected, got nothing",
    "the JSON has no value at `.income`, where a number is expected",
  ],
  ["the JSON: object expected, got array", "the JSON has array, where object is expected"],
  [
    "score: row 1: TypeError: input order: the JSON at .income: number expected, got nothing",
    "the JSON of input `order` has no value at `.income`, where a number is expected",
  ],
  [
    "score: row 1: SyntaxError: input order: the text is not JSON",
    "a text of input `order` is not valid JSON",
  ],
  [
    "score: row 3: TypeError: the JSON at .a[0]: string expected, got number (run, line 2, in pipeline.ts)",
    "the JSON has number at `.a[0]`, where string is expected",
  ],
])("knows the project's own messages: %s", (text, means) => {
  expect(explainMessage(text)?.means.slice(0, means.length)).toBe(means);
});

it.each([
  [
    "AttributeError: module 'triton_python_backend_utils' has no attribute 'Tensor'\\n\\nAt:\\n  /models/m/1/model.py(3): <module>\\n",
    "model.py uses `Tensor` before Triton adds it to triton_python_backend_utils",
    ["python/too-early"],
  ],
  [
    "ImportError: cannot import name 'Logger' from 'triton_python_backend_utils' (/opt/tritonserver/backends/python/triton_python_backend_utils.py)",
    "model.py uses `Logger` before Triton adds it to triton_python_backend_utils",
    ["python/too-early"],
  ],
  [
    "AttributeError: module 'triton_python_backend_utils' has no attribute 'Tensors'",
    "model.py uses `Tensors`, which triton_python_backend_utils does not have",
    [],
  ],
])("knows the members of triton_python_backend_utils: %s", (reason, means, codes) => {
  const text = `failed to load 'm' version 1: Internal: ${reason}`;
  expect(explainMessage(text)).toMatchObject({ phase: "load", means, codes });
});

it.each([
  ["PIL", "pillow"],
  ["cv2", "opencv-python-headless"],
  ["sklearn.svm", "scikit-learn"],
])("a missing module %s is installed with the package %s", (module, name) => {
  expect(
    explainMessage(
      `failed to load 'm' version 1: Internal: ModuleNotFoundError: No module named '${module}'`,
    ),
  ).toMatchObject({
    means: `the server's Python has no module \`${module}\``,
    help: expect.stringMatching(`^install \`${name}\` in the image`),
  });
});

it.each([".", "1.model"])("a module %s is the model's own file, which no package provides", (module) => {
  const found = explainMessage(`ModuleNotFoundError: No module named '${module}'`);
  expect(found).toMatchObject({
    means: `Python cannot import the model's own file as \`${module}\``,
    codes: ["backend/python-file-name"],
  });
  expect(found?.help).toMatch(/^put model.py into/);
});

it("names the flow and the position of its call", () => {
  const text =
    "ask: row 0: CallError: clean: row 2: RangeError: no text (run, line 3, in src/clean.ts) (pipeline.ts:12:20)";
  expect(explainMessage(text)).toMatchObject({
    where: ["in the call at pipeline.ts:12:20 in flow `ask`"],
    names: { model: "clean", flow: "ask", function: "run", line: "3", file: "src/clean.ts" },
  });
});

it("gives the same message a different meaning while a model loads", () => {
  const words = "inference input 'x' data-type is 'INT32', but model 'm' expects 'FP32'";
  expect(explainMessage(words)).toMatchObject({ phase: "request", fixIn: "client", codes: [] });
  expect(
    explainMessage(`load failed for model 'm': version 1 is at UNAVAILABLE state: ${words};`),
  ).toMatchObject({
    phase: "load",
    fixIn: "model",
    codes: ["warmup/dtype"],
  });
  expect(explainMessage(`in ensemble 'e', ${words}`)?.codes).toContain("python/wrong-dtype");
});

const inTriton = (cause: string): string =>
  `load failed for model 'classify': version 1 is at UNAVAILABLE state: Internal: unable to create TensorRT engine: ${cause};`;

it.each([
  [
    "IRuntime::deserializeCudaEngine: Error Code 6: API Usage Error (The engine plan file is not compatible with this version of TensorRT, expecting library version 10.4.0.26 got 10.3.0.26, please rebuild.)",
    "the plan was built by TensorRT 10.3.0.26, but the server has 10.4.0.26",
  ],
  [
    "The engine plan file is generated on an incompatible device, expecting compute 7.5 got compute 8.6, please rebuild.",
    "the plan was built on a GPU with compute capability 8.6, but this one has 7.5",
  ],
  [
    "Serialization assertion stdVersionRead == serializationVersion failed.Version tag does not match. Note: Current Version: 213, Serialized Engine Version: 232)",
    "the plan was built by a different TensorRT version: it has format 232, but the server's TensorRT reads 213",
  ],
  [
    "Error Code 1: Serialization (Serialization assertion plan->header.magicTag == rt::kPLAN_MAGIC_TAG failed.)",
    "the file is not a plan that the server's TensorRT can read",
  ],
  [
    "not compatible with this version of TensorRT, expecting library version 10.4.0.26 got 10.3.0.26",
    "the plan was built by TensorRT 10.3.0.26, but the server has 10.4.0.26",
  ],
  ["out of luck", "TensorRT could not read the plan"],
])("explains a plan built for another TensorRT or GPU: %s", (cause, means) => {
  expect(explainMessage(inTriton(cause))).toMatchObject({ means, phase: "load", fixIn: "model-file" });
});

it("distinguishes a connection that a step opened from a client's connection", () => {
  const refused = "URLError: <urlopen error [Errno 111] Connection refused>";
  const inStep = `in ensemble 'outside', Failed to process the request(s) for model 'features_0_0', message: ${refused}`;
  expect(explainMessage(inStep)).toMatchObject({
    means:
      "a connection that the Python code of `features` opened was refused: no server is listening on the address that the Python code of `features` calls",
    where: ["in a step of ensemble `outside`", "in `execute` of `features`"],
    fixIn: "model-code",
  });
  expect(explainMessage(refused)).toMatchObject({
    means: "no server is listening on that address",
    fixIn: "client",
  });
});

it.each([
  "<urlopen error timed out>",
  "Socket closed",
  "getaddrinfo ENOTFOUND db",
  "Connection reset by peer",
])("does not blame the client for a step's request: %s", (cause) => {
  const text = `Failed to process the request(s) for model 'features_0_0', message: ${cause}`;
  expect(explainMessage(text)).toMatchObject({ fixIn: "model-code", names: { model: "features" } });
  const loading = `Internal: Failed to initialize Python stub: ${cause}`;
  expect(explainMessage(loading)?.means).toContain("a model's Python code");
});

it.each([
  ["Stub process 'a_1_0_0' is not healthy.", "a_1"],
  ["Stub process 'a_1' is not healthy.", "a_1"],
  ["Failed to initialize stub, stub process exited unexpectedly: a.b_0_12;", "a.b"],
])("names the model of an instance: %s", (text, model) => {
  expect(explainMessage(text)?.names["model"]).toBe(model);
});

it.each([
  ["[-1,4]", "If `m` has a max_batch_size, the first dim is the batch"],
  ["[4]", "`m` has no max_batch_size"],
])("without Triton's note, wanted dims %s may or may not begin with the batch", (expected, why) => {
  const text = `unexpected shape for input 'x' for model 'm'. Expected ${expected}, got [1,5]`;
  expect(explainMessage(text)?.why?.slice(0, why.length)).toBe(why);
});
