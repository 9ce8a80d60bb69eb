import { valuesOf, tensorOf } from "@tritype/core";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { type GrpcCaller, openCaller } from "./grpc-call.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";

const io = `input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ -1 ] } ]
`;
const python = `backend: "python" ${io}`;
const decoupled = `${python} model_transaction_policy { decoupled: true }\n`;

const prelude = `
import asyncio, threading, time
import numpy as np
import triton_python_backend_utils as pb_utils
FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
def text(*values):
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(values, dtype=object))])
def rows(*values):
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([values], dtype=object))])
def error(message, *code):
    return pb_utils.InferenceResponse([], pb_utils.TritonError(message, *code))
def attempt(action):
    try:
        return str(action())
    except BaseException as error:
        return f"{type(error).__name__}: {error}".split("\\n")[0]
def ask(model, *texts):
    inputs = [pb_utils.Tensor("X", np.array(texts, dtype=object))]
    return pb_utils.InferenceRequest(model_name=model, inputs=inputs, requested_output_names=["Y"])
def tell(response):
    if response.has_error():
        return f"{response.error().code()} {response.error().message()}"
    return str({tensor.name(): tensor.as_numpy().tolist() for tensor in response.output_tensors()})
def order_of(request):
    return request.inputs()[0].as_numpy().flatten()[0].decode()
`;

/** Python that executes the code in input X of the first request. */
const obedient = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        scope = {**globals(), "requests": requests, "sender": requests[0].get_response_sender()}
        exec(order_of(requests[0]), scope)
        return scope.get("returned")
`;
const coroutine = `${prelude}
class TritonPythonModel:
    async def execute(self, requests):
        scope = dict(globals())
        exec(order_of(requests[0]), scope)
        await scope["go"](requests[0].get_response_sender())
`;
const echo = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            x = request.inputs()[0].as_numpy()
            order = order_of(request)
            if order.startswith("sleep"):
                time.sleep(float(order[5:]))
            if order == "raise":
                raise ValueError("no")
            responses.append(error("sorry") if order == "error" else text(*(b"<" + one + b">" for one in x)))
        return responses
`;
const asking = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        scope = dict(globals())
        exec(order_of(requests[0]), scope)
        return [text(*scope["answers"])]
`;

/** An ensemble in which each step reads one tensor and writes one. */
const ensemble = (
  steps: readonly (readonly [string, string, string])[],
  outputs: readonly string[],
): string =>
  `platform: "ensemble" input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ ${outputs.map((name) => `{ name: "${name}" data_type: TYPE_STRING dims: [ -1 ] }`).join(", ")} ]
ensemble_scheduling { step [ ${steps
    .map(
      ([model, from, to]) =>
        `{ model_name: "${model}" model_version: -1 input_map { key: "X" value: "${from}" } output_map { key: "Y" value: "${to}" } }`,
    )
    .join(", ")} ] }
`;

const files = {
  "d/config.pbtxt": decoupled,
  "d/1/model.py": obedient,
  "coroutine/config.pbtxt": decoupled,
  "coroutine/1/model.py": coroutine,
  "batched/config.pbtxt": `${decoupled} max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 3 ] max_queue_delay_microseconds: 2000000 }`,
  "batched/1/model.py": obedient,
  "ordered/config.pbtxt": `${decoupled} max_batch_size: 1 dynamic_batching { preserve_ordering: true } instance_group [ { count: 3 } ]`,
  "ordered/1/model.py": obedient,
  "echo/config.pbtxt": python,
  "echo/1/model.py": echo,
  "two_echoes/config.pbtxt": `${python} instance_group [ { count: 2 } ]`,
  "two_echoes/1/model.py": echo,
  "asking/config.pbtxt": python,
  "asking/1/model.py": asking,
  "failing/config.pbtxt": decoupled,
  "failing/1/model.py": obedient,
  "caller/config.pbtxt": python,
  "caller/1/model.py": asking,
  "alone/config.pbtxt": ensemble([["d", "X", "Y"]], ["Y"]),
  "alone/1/": "",
  "tail/config.pbtxt": ensemble(
    [
      ["d", "X", "A"],
      ["echo", "A", "Y"],
    ],
    ["Y"],
  ),
  "tail/1/": "",
  "two_tails/config.pbtxt": ensemble(
    [
      ["d", "X", "A"],
      ["two_echoes", "A", "Y"],
    ],
    ["Y"],
  ),
  "two_tails/1/": "",
  "both/config.pbtxt": ensemble(
    [
      ["d", "X", "A"],
      ["echo", "A", "Y"],
    ],
    ["Y", "A"],
  ),
  "both/1/": "",
  "pair/config.pbtxt": `${decoupled} output { name: "Z" data_type: TYPE_STRING dims: [ -1 ] }`,
  "pair/1/model.py": `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender, x = request.get_response_sender(), request.inputs()[0].as_numpy()
            for _ in range(2):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", x), pb_utils.Tensor("Z", x)]))
            sender.send(flags=FINAL)
`,
  "pairs/config.pbtxt": ensemble([["pair", "X", "Y"]], ["Y", "Z"]).replace(
    "output_map",
    'output_map { key: "Z" value: "Z" } output_map',
  ),
  "pairs/1/": "",
  "head/config.pbtxt": ensemble(
    [
      ["asking", "X", "A"],
      ["d", "A", "Y"],
    ],
    ["Y"],
  ),
  "head/1/": "",
  "nested/config.pbtxt": ensemble(
    [
      ["d", "X", "A"],
      ["d", "A", "B"],
      ["echo", "B", "Y"],
    ],
    ["Y"],
  ),
  "nested/1/": "",
  "of_ensemble/config.pbtxt": ensemble(
    [
      ["tail", "X", "A"],
      ["echo", "A", "Y"],
    ],
    ["Y"],
  ),
  "of_ensemble/1/": "",
};

const two = "sender.send(text('a')); sender.send(text('b'))\n";
const three = `${two}sender.send(text('c'))\n`;
const end = "sender.send(flags=FINAL)";
/**
 * The next step is still busy with the last response when the end marker arrives, so the ensemble marks its own last
 * response as final.
 */
const slow = `${two}sender.send(text('sleep0.3')); ${end}`;
const later = (body: string): string =>
  `def go(s):\n${body.replaceAll(/^/gm, "  ")}\nthreading.Thread(target=go, args=(sender,)).start()`;
/** Python that lists the items that a BLS iterator yields, how often it yields them, and their type. */
const iterate = (model: string, order: string): string =>
  `it = ask('${model}', ${JSON.stringify(order)}).exec(decoupled=True)\nanswers = [tell(r) for r in it]\nanswers += [type(it).__name__, str(len(list(it)))]`;

const orders: Readonly<Record<string, readonly string[]>> = {
  d: [
    two + end,
    "sender.send(text('a')); sender.send(text('b', 'c'), FINAL)",
    end,
    "sender.send(text('a'), FINAL); sender.send(text('b'))",
    `${two + end}\nraise ValueError('no')`,
    "sender.send(text('a'), FINAL); returned = []",
    `sender.send(text('a')); sender.send(error('oops')); sender.send(text('b')); ${end}`,
    `sender.send(error('gone', pb_utils.TritonError.NOT_FOUND)); ${end}`,
    `sender.send(pb_utils.InferenceResponse(text('a').output_tensors(), pb_utils.TritonError('oops'))); ${end}`,
    "sender.send(text('a')); sender.send(error('oops'), FINAL)",
    "raise ValueError('no')",
    `${two}raise ValueError('no')`,
    "returned = [text('a')]",
    `${two}returned = []`,
    "returned = False",
    `sender.send(pb_utils.InferenceResponse([])); sender.send(pb_utils.InferenceResponse([pb_utils.Tensor('Z', np.array([1]))])); ${end}`,
    `sender.send(text(*[attempt(lambda: sender.send(text('x'), f)) for f in (2, 3, -1, 2**32 - 1, 2**32, '1', None, 1.0)], attempt(lambda: sender.send()), attempt(lambda: sender.send('x')), attempt(lambda: sender.send(None, 2))), True)`,
    `again = requests[0].get_response_sender(); sender.send(text(str(again is sender))); again.send(flags=FINAL)`,
    "sender.send(text(str(sender.is_cancelled()), str(requests[0].is_cancelled())), FINAL)",
    later(`for i in range(3):\n  time.sleep(0.05); s.send(text(str(i)))\ns.send(flags=FINAL)`),
    later(
      `for r in ask('tail', "sender.send(text('a'), FINAL)").exec(decoupled=True): s.send(text(tell(r)))\ns.send(flags=FINAL)`,
    ),
  ],
  coroutine: [
    "async def go(s):\n  for i in range(3):\n    s.send(text(str(i))); await asyncio.sleep(0.05)\n  s.send(flags=FINAL)",
  ],
  echo: ["x", "error", "raise"],
  alone: [
    three + end,
    "sender.send(text('a')); sender.send(text('b'), FINAL)",
    end,
    `sender.send(text('a')); sender.send(error('oops')); sender.send(text('b')); ${end}`,
    "sender.send(text('a')); sender.send(error('oops'), FINAL)",
    `${two}time.sleep(0.2)\nraise ValueError('no')`,
  ],
  tail: [
    slow,
    "sender.send(text('a')); sender.send(text('b'), FINAL)",
    end,
    `sender.send(text('a')); time.sleep(0.3); ${end}`,
    `sender.send(text('a')); time.sleep(0.3); sender.send(error('oops')); time.sleep(0.3); sender.send(text('b')); ${end}`,
    `sender.send(text('a')); time.sleep(0.3); sender.send(text('error')); time.sleep(0.3); sender.send(text('b')); ${end}`,
    `sender.send(text('a')); time.sleep(0.3); sender.send(text('raise')); time.sleep(0.3); sender.send(text('b')); ${end}`,
    `sender.send(pb_utils.InferenceResponse([])); time.sleep(0.3); ${end}`,
  ],
  two_tails: [`sender.send(text('sleep0.9')); sender.send(text('sleep0.3')); ${end}`],
  both: [slow, `sender.send(text('sleep0.3')); sender.send(text('x')); ${end}`],
  head: [`answers = [${JSON.stringify(three + end)}]`],
  nested: [
    `sender.send(text(${JSON.stringify(`${two}sender.send(text('sleep0.3'), FINAL)`)})); time.sleep(0.3); sender.send(text(${JSON.stringify(end)})); ${end}`,
  ],
  of_ensemble: [slow],
  asking: [
    iterate("d", two + end),
    iterate("d", "sender.send(text('a')); sender.send(text('b'), FINAL)"),
    iterate("d", end),
    iterate("d", "sender.send(error('oops'), FINAL)"),
    iterate("d", "raise ValueError('no')"),
    iterate("d", "returned = [1]"),
    iterate("tail", slow),
    iterate("echo", "x"),
    iterate("echo", "error"),
    iterate("nobody", "x"),
    "it = ask('d', \"sender.send(text('a')); sender.send(text('b'), FINAL)\").exec(decoupled=True); answers = [tell(next(it))] + [tell(r) for r in it] + [attempt(lambda: next(it)), tell(next(iter(it)))]",
    "it = pb_utils.InferenceRequest(model_name='d', inputs=[], requested_output_names=['Y']).exec(decoupled=True); answers = [tell(r) for r in it]",
    "answers = [tell(ask('d', 'pass').exec()), tell(ask('tail', 'pass').exec())]",
  ],
};

let temporary: TemporaryFolder;
let triton: TritonServer;
let local: Runtime;
let theirs: GrpcCaller;
beforeAll(async () => {
  temporary = await temporaryFolder();
  const repository = join(temporary.path, "model_repository");
  writeFiles(repository, files);
  const installation = await installJudge();
  [triton, local] = await Promise.all([
    serveTriton(installation, { repository }),
    startRuntime({
      repository,
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand: installation.python,
    }),
  ]);
  await triton.waitReady();
  theirs = openCaller(triton.grpcAddress);
}, installTime);
afterAll(async () => {
  theirs?.close();
  await Promise.all([killTriton(triton), local?.close()]);
  await temporary?.remove();
});

describe.each(Object.entries(orders))("%s", (model, all) => {
  test.each(all)("%s", async (order) => {
    expect(await askLocal(model, order)).toEqual(await askTriton(model, [order]));
  });
});

test("requests in the same execution have separate streams", async () => {
  const order =
    "for i, r in enumerate(requests): r.get_response_sender().send(rows(str(i), str(len(requests))))\nfor r in reversed(requests): r.get_response_sender().send(flags=FINAL)";
  const ours = await Promise.all([order, order, order].map((one) => askLocal("batched", one, [1, 1])));
  const wanted = await askTriton("batched", [order, order, order], [1, 1]);
  expect(ours.map((messages) => messages.join(" ")).toSorted()).toEqual([0, 1, 2].map((i) => `Y=${i},3 .`));
  expect(ours.flat().toSorted()).toEqual(wanted.toSorted());
});

test("preserve_ordering: responses follow the order of the requests", async () => {
  const say = (name: string, seconds: number): string =>
    `for i in range(3):\n  time.sleep(${seconds}); sender.send(rows('${name}' + str(i)))\nsender.send(flags=FINAL)`;
  const all = [say("a", 0.2), say("b", 0), say("c", 0.1)];
  const ours: string[] = [];
  await Promise.all(all.map((order) => askLocal("ordered", order, [1, 1], undefined, ours)));
  expect(ours).toEqual([
    "Y=a0",
    "Y=a1",
    "Y=a2",
    ".",
    "Y=b0",
    "Y=b1",
    "Y=b2",
    ".",
    "Y=c0",
    "Y=c1",
    "Y=c2",
    ".",
  ]);
  // Triton's stream may mix the responses of requests that it held, but the first responses keep the requests' order.
  const theirs = (await askTriton("ordered", all, [1, 1])).filter((one) => one !== ".");
  expect(theirs.toSorted()).toEqual(ours.filter((one) => one !== ".").toSorted());
  expect(theirs.filter((one) => one.endsWith("0"))).toEqual(["Y=a0", "Y=b0", "Y=c0"]);
});

test.each([["Y"], ["Z"], ["Z", "Y"]])(
  "some outputs of an ensemble whose outputs come from one step: %s",
  async (...asked) => {
    const ours = await askLocal("pairs", "a", [1], asked);
    expect(ours).toEqual(await askTriton("pairs", ["a"], [1], asked));
    expect(ours).toHaveLength(3);
  },
);

test("all these requests are counted as in Triton", async () => {
  for (const model of ["d", "coroutine", "batched", "echo", "asking", "both", "pairs"])
    expect(ourCounts(model), model).toEqual(await theirCounts(model));
});

test("some outputs of an ensemble whose outputs come from several steps: an error instead of no response", async () => {
  const order = `sender.send(text('x')); ${end}`;
  expect(await askTriton("both", [order], [1], ["A"])).toEqual(["."]);
  expect((await askLocal("both", order, [1], ["A"])).join()).toContain("Triton 24.10 then sends no response");
});

const failing = "sender.send(text('a')); sender.send(error('oops'))";
const [a, b, empty] = ["{'Y': [b'a']}", "{'Y': [b'b']}", "{}"];
const [oops, again] = ["__ErrorCode.INTERNAL oops", "__ErrorCode.INTERNAL again"];
test.each([
  [`${failing}; sender.send(text('b')); ${end}`, [a, oops, b, empty]],
  [`${failing}; sender.send(error('again')); sender.send(text('b'), FINAL)`, [a, oops, again, b]],
])(
  "a caller reads the error in the middle of a stream, which Triton 24.10 loses: %s",
  async (order, items) => {
    const call = iterate("failing", order);
    const told = (list: readonly string[]): readonly string[] => [
      ...list,
      "ResponseIterator",
      `${list.length}`,
    ];
    expect(await askLocal("caller", call)).toEqual([`Y=${told(items).join(",")}.`]);
    const request = { inputs: [{ name: "X", datatype: "BYTES", shape: [1], data: [call] }] };
    const reply = await fetch(`${triton.httpUrl}/v2/models/caller/infer`, {
      method: "POST",
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(5000),
    }).then(
      (response) => response.text(),
      (error: unknown) => {
        if (!(error instanceof DOMException) || error.name !== "TimeoutError") throw error;
        return "no answer";
      },
    );
    // The calling model may never answer again.
    if (reply !== "no answer") {
      const { outputs } = JSON.parse(reply) as { readonly outputs: readonly [{ readonly data: object }] };
      expect(outputs[0].data).toEqual(told(items.filter((item) => item !== oops && item !== again)));
    }
  },
);

/**
 * Prints outputs as `Y=a,b` and an error as `!` and its text. `.` marks the last message; gRPC does not mark errors.
 */
const shown = (
  outputs: Readonly<Record<string, readonly string[]>>,
  error: string,
  final: boolean,
): string =>
  error === ""
    ? `${Object.entries(outputs)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, values]) => `${name}=${values.join(",")}`)
        .join(" ")}${final ? "." : ""}`
    : `!${error}`;

const askLocal = async (
  model: string,
  order: string,
  shape: readonly number[] = [1],
  outputs?: readonly string[],
  messages: string[] = [],
): Promise<readonly string[]> => {
  const inputs = new Map([["X", tensorOf("BYTES", shape, [order])]]);
  for await (const { response, error, final } of local.stream({
    model,
    id: "",
    inputs,
    ...(outputs && { outputs }),
  })) {
    const outputs = [...(response?.outputs ?? [])].map(([name, tensor]) => [
      name,
      valuesOf(tensor).map(String),
    ]);
    messages.push(shown(Object.fromEntries(outputs), error?.message ?? "", final));
  }
  return messages;
};

interface TheirMessage {
  readonly error_message: string;
  readonly infer_response?: {
    readonly outputs: readonly { readonly name: string; readonly datatype: string }[];
    readonly raw_output_contents: readonly Uint8Array[];
    readonly parameters: Readonly<Record<string, { readonly bool_param?: boolean }>>;
  };
}

const askTriton = async (
  model: string,
  all: readonly string[],
  shape: readonly number[] = [1],
  asked: readonly string[] = [],
): Promise<readonly string[]> => {
  const requests = all.map((order) => ({
    model_name: model,
    inputs: [{ name: "X", datatype: "BYTES", shape, contents: { bytes_contents: [Buffer.from(order)] } }],
    outputs: asked.map((name) => ({ name })),
    parameters: { triton_enable_empty_final_response: { bool_param: true } },
  }));
  const messages = (await theirs.stream(requests)) as readonly TheirMessage[];
  return messages.map(({ error_message, infer_response }) => {
    const { outputs = [], raw_output_contents: raw = [], parameters = {} } = infer_response ?? {};
    const values = outputs.map(({ name, datatype }, i) => [
      name,
      valuesOfRaw(datatype, Buffer.from(raw[i] ?? [])),
    ]);
    return shown(
      Object.fromEntries(values),
      error_message,
      parameters["triton_final_response"]?.bool_param === true,
    );
  });
};

const valuesOfRaw = (datatype: string, raw: Buffer): readonly string[] => {
  if (datatype !== "BYTES") return [String(raw.readBigInt64LE())];
  const values: string[] = [];
  for (let at = 0; at < raw.length; ) {
    const stop = at + 4 + raw.readUInt32LE(at);
    values.push(raw.toString("utf8", at + 4, stop));
    at = stop;
  }
  return values;
};

const ourCounts = (model: string): object => {
  const [one] = local.statistics(model);
  return {
    inferences: one?.inference_count,
    executions: one?.execution_count,
    success: one?.inference_stats.success.count,
    fail: one?.inference_stats.fail.count,
    batches: one?.batch_stats.map(({ batch_size, compute_infer }) => [batch_size, compute_infer.count]),
  };
};
const theirCounts = async (model: string): Promise<object> => {
  const answer = await fetch(`${triton.httpUrl}/v2/models/${model}/stats`);
  const {
    model_stats: [one],
  } = (await answer.json()) as {
    readonly model_stats: readonly ReturnType<Runtime["statistics"]>[number][];
  };
  return {
    inferences: one?.inference_count,
    executions: one?.execution_count,
    success: one?.inference_stats.success.count,
    fail: one?.inference_stats.fail.count,
    batches: one?.batch_stats.map(({ batch_size, compute_infer }) => [batch_size, compute_infer.count]),
  };
};
