import { tensorOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { errorOf, loadPythonModel, outputsOf, requestOf } from "../../../../test/environment/python-model.ts";

const header = `
import triton_python_backend_utils as pb_utils
`;
/** A model whose execute method has this body; it starts at line 5 of the file. */
const executing = (body: string): string =>
  `${header}class TritonPythonModel:
    def execute(self, requests):
        ${body.replaceAll("\n", "\n        ")}
`;
/** A model whose execute runs the function body in the first request's X. */
const told = `${header}class TritonPythonModel:
    def execute(self, requests):
        body = requests[0].inputs()[0].as_numpy()[0].decode().replace("\\n", "\\n  ")
        scope = {"pb_utils": pb_utils}
        exec("def run(requests):\\n  " + body, scope)
        return scope["run"](requests)
`;
/** The results of each body for an execution with two requests. */
const answersTo = async (bodies: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const { model, folder } = await loadPythonModel(told);
  const executions = bodies.map((body) =>
    model.execute([requestOf({ X: tensorOf("BYTES", [1], [body]) }), requestOf({})]),
  );
  return (await Promise.all(executions)).map((results) =>
    results.map((result) => errorOf(result).replaceAll(`${folder}/1/model.py`, "MODEL")),
  );
};
const failed = (reason: string): string =>
  `model/failed: Failed to process the request(s) for model 'm_0_0', message: ${reason}`;

describe("an exception in execute", () => {
  test("an exception has Triton's text and fails all requests in the execution, but none in the next one", async () => {
    const { model, folder } = await loadPythonModel(
      executing(`if len(requests) == 1: return [pb_utils.InferenceResponse([])]
def inner(): raise ValueError("no such token")
inner()`),
    );
    const text = failed(
      `ValueError: no such token\n\nAt:\n  ${folder}/1/model.py(6): inner\n  ${folder}/1/model.py(7): execute\n`,
    );
    const results = await model.execute([requestOf({}), requestOf({})]);
    expect(results.map(errorOf)).toEqual([text, text]);
    expect(outputsOf((await model.execute([requestOf({})]))[0]).size).toBe(0);
  });

  // The results of a real Triton 2.51, except for the lone surrogate, which kills its stub.
  const execute = "  MODEL(8): execute\n";
  const reasons: readonly [string, string][] = [
    ["raise KeyError()", `KeyError: <EMPTY MESSAGE>\n\nAt:\n  <string>(2): run\n${execute}`],
    ["import sys; sys.exit(3)", `SystemExit: 3\n\nAt:\n  <string>(2): run\n${execute}`],
    ["raise KeyboardInterrupt('stop')", `KeyboardInterrupt: stop\n\nAt:\n  <string>(2): run\n${execute}`],
    ["async def f(): raise OSError('late')\nreturn f()", "OSError: late\n\nAt:\n  <string>(2): f\n"],
    ["raise ValueError('own \\ud800 text')", `ValueError: own ? text\n\nAt:\n  <string>(2): run\n${execute}`],
    [
      "pb_utils.Tensor('', None)",
      `TypeError: __init__(): incompatible constructor arguments. The following argument types are supported:
    1. c_python_backend_utils.Tensor(arg0: str, arg1: numpy.ndarray)

Invoked with: '', None\n\nAt:\n  <string>(2): run\n${execute}`,
    ],
  ];
  test("an exception is reported with its type, message and frames", async () => {
    const answers = await answersTo(reasons.map(([body]) => body));
    expect(answers).toEqual(reasons.map(([, reason]) => [failed(reason), failed(reason)]));
  });
});

describe("the return value of execute", () => {
  const returned: readonly [string, string][] = [
    ["return ()", "Expected a list in the execute return, found type '<class 'tuple'>'."],
    [
      "return [pb_utils.InferenceResponse([])] * 3",
      "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) size is:2, and InferenceResponse(s) size is:3\n",
    ],
    [
      "return [pb_utils.InferenceResponse([]), 7]",
      "Expected an 'InferenceResponse' object in the execute function return list, found type '<class 'int'>'.",
    ],
    [
      "return None",
      "Python model 'm_0_0' returned None from execute, so its requests have no response (Triton would let the client wait forever).",
    ],
  ];
  test("the return value of execute is checked against the contract", async () => {
    const answers = await answersTo(returned.map(([body]) => body));
    expect(answers).toEqual(returned.map(([, reason]) => [failed(reason), failed(reason)]));
  });

  test("a model without an execute method fails its requests", async () => {
    const { model, folder } = await loadPythonModel("class TritonPythonModel: pass");
    const [result] = await model.execute([requestOf({})]);
    expect(errorOf(result)).toBe(
      failed(`Python model ${folder}/1/model.py does not implement \`execute\` method.`),
    );
  });
});

test("only models with iterative sequences may reschedule requests", async () => {
  const answers = await answersTo([
    "for request in requests: request.set_release_flags(pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)",
  ]);
  const refused =
    "model/failed: Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not configured to handle such a flag.";
  expect(answers).toEqual([[refused, refused]]);
});

describe("a model that does not load", () => {
  const broken: readonly [string, string, RegExp][] = [
    [
      "import error",
      "import no_such_module",
      /^ModuleNotFoundError: No module named 'no_such_module'\n\nAt:\n {2}.*\/1\/model\.py\(1\): <module>\n/,
    ],
    ["syntax error", "def (", /^SyntaxError: invalid syntax \(model\.py, line 1\)$/],
    [
      "annotation that Triton evaluates before it adds the member",
      `${header}def f(x: pb_utils.Tensor): pass`,
      /^AttributeError: module 'triton_python_backend_utils' has no attribute 'Tensor'\n\nAt:\n {2}.*\/1\/model\.py\(3\): <module>\n/,
    ],
    [
      "import of a member before Triton adds it",
      "from triton_python_backend_utils import Logger",
      /^ImportError: cannot import name 'Logger' from 'triton_python_backend_utils' \(.*\/triton_python_backend_utils\.py\)\n\nAt:\n {2}.*\/1\/model\.py\(1\): <module>\n/,
    ],
    ["no class", "x = 1", /^AttributeError: module '1\.model' has no attribute 'TritonPythonModel'$/],
    [
      "initialize",
      "class TritonPythonModel:\n    def initialize(self, args): raise RuntimeError('no weights')",
      /^RuntimeError: no weights\n\nAt:\n {2}.*\/1\/model\.py\(2\): initialize\n$/,
    ],
    [
      "process end",
      "import os, sys\nprint('out of luck', file=sys.stderr)\nos._exit(9)",
      /^Stub process 'm_0_0' is not healthy\. It ended with exit code 9 before it was ready\.\nout of luck$/,
    ],
  ];
  test.each(broken)("%s", async (_what, code, message) => {
    await expect(loadPythonModel(code)).rejects.toMatchObject({
      code: "model/failed",
      message: expect.stringMatching(message),
    });
  });

  test.each([
    [
      "raises in auto_complete_config",
      "raise ValueError('cannot complete')",
      /^ValueError: cannot complete\n\nAt:\n {2}.*\/1\/model\.py\(5\): auto_complete_config\n$/,
    ],
    [
      "ends its process in auto_complete_config",
      "os._exit(7)",
      /^Stub process 'm' is not healthy\. It ended with exit code 7 before it was ready\.$/,
    ],
    [
      "returns another object from auto_complete_config",
      "return config.as_dict()",
      /^auto_complete_config function in model 'm' must return a valid pb\.ModelConfig object\.$/,
    ],
    [
      "returns an invalid configuration from auto_complete_config",
      "config.as_dict()['nothing'] = 1; return config",
      /^auto_complete_config of model 'm' returns an invalid configuration: nothing is not a field of ModelConfig$/,
    ],
  ])("%s", async (_what, body, message) => {
    const code = `import os\nclass TritonPythonModel:\n    @staticmethod\n    def auto_complete_config(config):\n        ${body}\n`;
    await expect(loadPythonModel(code)).rejects.toMatchObject({
      code: "model/failed",
      message: expect.stringMatching(message),
    });
  });

  test("a model that does not load fails and ends all its instances", async () => {
    const code = `
import os
class TritonPythonModel:
    def initialize(self, args):
        print("pid", os.getpid())
        if args["model_instance_name"].endswith("1"): raise RuntimeError("second")
`;
    const notices: string[] = [];
    const loading = loadPythonModel(
      code,
      { instance_group: [{ count: 3 }] },
      { notice: (text) => notices.push(text) },
    );
    await expect(loading).rejects.toThrow(/^RuntimeError: second/);
    const pids = notices.flatMap((line) => / pid (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

test("reading an input that does not exist gives None", async () => {
  const { model } = await loadPythonModel(
    executing("pb_utils.get_input_tensor_by_name(requests[0], 'Y').as_numpy()"),
  );
  const [result] = await model.execute([requestOf({ X: tensorOf("INT8", [1], [1]) })]);
  expect(errorOf(result)).toContain("AttributeError: 'NoneType' object has no attribute 'as_numpy'");
});

describe("a response sender", () => {
  const run = async (first: string, then: string) => {
    const under = await loadPythonModel(told);
    const body = `
senders = [request.get_response_sender() for request in requests]
${first}
${then}`;
    const results = await under.model.execute([
      requestOf({ X: tensorOf("BYTES", [1], [body]) }),
      requestOf({}),
    ]);
    return { ...under, results };
  };
  const answerOf = (result: Parameters<typeof errorOf>[0] | undefined): string =>
    result !== undefined && "error" in result ? errorOf(result) : `${outputsOf(result).size} outputs`;
  const last = "senders[0].send(pb_utils.InferenceResponse([]), 1)";

  // The results of a real Triton 2.51 over gRPC.
  test("a sender delivers the final response, regardless of what execute does afterwards; other requests fail", async () => {
    const { results, notices, folder } = await run(last, last);
    const text = failed(
      `TritonModelException: Unable to send response. Non-decoupled model cannot send more than one response.\n\nAt:\n  <string>(5): run\n  ${folder}/1/model.py(8): execute\n`,
    );
    expect(results.map(answerOf)).toEqual(["0 outputs", text]);
    expect(notices.join("\n")).toContain("[m_0_0] ERROR: Failed to process the request(s) for model 'm_0_0'");
  });

  test("a sender that never marks a response as the last one fails only its own request", async () => {
    const { results } = await run(
      "senders[0].send(pb_utils.InferenceResponse([]))",
      "senders[1].send(pb_utils.InferenceResponse([]), 1)",
    );
    expect(results.map(answerOf)).toEqual([
      "model/failed: Python model 'm_0_0' sent a response and released its sender without marking the response as the last (Triton would let the client wait until its deadline). Add flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL to send().",
      "0 outputs",
    ]);
  });
});
