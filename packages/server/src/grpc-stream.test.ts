import { once } from "node:events";
import { connect, constants } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { expect, onTestFinished, test } from "vitest";
import { adder, type MemoryModel, memoryRuntime, teller } from "./memory-runtime.fixture.ts";
import { serveGrpc } from "./serve-grpc.ts";

interface Answer {
  readonly error_message: string;
  readonly infer_response: {
    readonly id: string;
    readonly model_name: string;
    readonly model_version: string;
    readonly parameters: Readonly<Record<string, { readonly bool_param?: boolean }>>;
    readonly raw_output_contents: readonly Uint8Array[];
  };
}

const opened = async (...models: readonly MemoryModel[]) => {
  const server = await serveGrpc(memoryRuntime([teller, adder, ...models]), { port: 0 });
  const client = new Client(server.address, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  return (metadata: Readonly<Record<string, string>> = {}) => {
    const { path, request, response } = grpcMethod("ModelStreamInfer");
    const sent = new Metadata();
    for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
    return client.makeBidiStreamRequest(
      path,
      (message: object) => Buffer.from(request.encode(message)),
      (bytes: Buffer) => response.decode(bytes) as Answer,
      sent,
    );
  };
};
type Stream = ReturnType<Awaited<ReturnType<typeof opened>>>;

/** Sends the messages, and returns the answers in short form and the final status. */
const told = async (stream: Stream, ...messages: readonly object[]): Promise<readonly string[]> => {
  const answers: string[] = [];
  stream.on("data", (answer: Answer) => answers.push(short(answer)));
  stream.on("error", () => {});
  const ended = new Promise<{ readonly code: number; readonly details: string }>((resolve) => {
    stream.on("status", resolve);
  });
  for (const message of messages) stream.write(message);
  stream.end();
  const { code, details } = await ended;
  return [...answers, code === 0 ? "ok" : `${code} ${details}`];
};

/** `q teller/1 "a" …`: the id, the model and version, the text or error, and whether more follows. */
const short = ({ error_message, infer_response: { id, parameters, ...rest } }: Answer): string => {
  const [raw] = rest.raw_output_contents;
  const content = raw === undefined ? error_message : Buffer.from(raw.subarray(4)).toString();
  const model = rest.model_name === "" ? "-" : `${rest.model_name}/${rest.model_version}`;
  const { bool_param: final } = parameters["triton_final_response"] ?? {};
  return `${id} ${model} ${content} ${final === undefined ? "" : final ? "." : "…"}`.trimEnd();
};

const ask = (id: string, ASK: readonly string[], rest: object = {}): object => ({
  ...grpcInferRequest({
    model: "teller",
    id,
    inputs: new Map([["ASK", tensorOf("BYTES", [ASK.length], ASK)]]),
  }),
  ...rest,
});
const withEnd = { parameters: { triton_enable_empty_final_response: { bool_param: true } } };
const none = (id: string): object => ({ model_name: "none", id });
const unknown = "Request for unknown model: 'none' is not found";

test.each<[string, readonly object[], readonly string[]]>([
  ["responses", [ask("q", ["say a", "say b"])], ["q teller/1 a …", "q teller/1 b …"]],
  ["a final response", [ask("q", ["say a", "last b"])], ["q teller/1 a …", "q teller/1 b ."]],
  ["an end marker", [ask("q", ["say a"], withEnd)], ["q teller/1 a …", "q teller/  ."]],
  [
    "an end marker from a requested version",
    [ask("q", ["end"], { ...withEnd, model_version: "1" })],
    ["q teller/1  ."],
  ],
  ["no end marker", [ask("q", ["end"])], []],
  [
    "an error between responses",
    [ask("q", ["say a", "fail x", "last b"])],
    ["q teller/1 a …", "q teller/ x …", "q teller/1 b ."],
  ],
  ["a refusal", [none("n"), ask("q", ["last a"])], [`n - ${unknown}`, "q teller/1 a ."]],
  [
    "a parameter of another type",
    [ask("q", [], { parameters: { triton_enable_empty_final_response: { int64_param: 1 } } })],
    ["q - invalid value type for 'triton_enable_empty_final_response' parameter, expected bool_param."],
  ],
])("%s", async (_, messages, expected) => {
  const open = await opened();
  expect(await told(open(), ...messages)).toEqual([...expected, "ok"]);
});

/** A model that answers with its name once `open` is called. */
const gated = (name: string) => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { messages: _, ...answeringOnce } = teller;
  const model: MemoryModel = {
    ...answeringOnce,
    name,
    run: () => gate.then(() => new Map([["TEXT", tensorOf("BYTES", [1], [name])]])),
  };
  return { model, open: () => open() };
};

test("models that answer once keep the order of requests; decoupled ones do not wait", async () => {
  const slow = gated("slow");
  const quick = gated("quick");
  const open = await opened(slow.model, quick.model);
  const stream = open();
  stream.on("data", (answer: Answer) => {
    if (answer.infer_response.id === "d") slow.open();
  });
  quick.open();
  const answers = await told(
    stream,
    ask("s", [], { model_name: "slow" }),
    none("n"),
    ask("q", [], { model_name: "quick" }),
    ask("d", ["last a"]),
  );
  expect(answers).toEqual(["d teller/1 a .", "s slow/1 slow .", `n - ${unknown}`, "q quick/1 quick .", "ok"]);
});

test("requests to decoupled models take turns", async () => {
  const open = await opened();
  const answers = await told(open(), ask("a", ["repeat 50"]), ask("b", ["repeat 50"]));
  const ids = answers.map((answer) => answer[0]).join("");
  expect(ids).not.toMatch(/a{20}|b{20}/);
  expect(ids).toHaveLength(101);
});

test("with triton_grpc_error: true, a model's error ends the stream and cancels the rest", async () => {
  const { model, seen } = endless();
  const open = await opened(model);
  const header = { triton_grpc_error: "true" };
  expect(await told(open(header), none("n"), ask("q", ["say a", "fail x", "say b"]))).toEqual([
    `n - ${unknown}`,
    "q teller/1 a …",
    "5 x",
  ]);
  const answers = await told(open(header), ask("e", [], { model_name: "endless" }), ask("q", ["fail x"]));
  expect(answers.at(-1)).toBe("5 x");
  await expect.poll(() => seen.cancelled, { timeout: 10_000 }).toBe(true);
});

/** Generates 10 kB messages endlessly, and counts them. */
const endless = () => {
  const seen = { made: 0, cancelled: false };
  const text = tensorOf("BYTES", [1], ["x".repeat(10_000)]);
  const model: MemoryModel = {
    ...teller,
    name: "endless",
    messages: async function* (_, signal) {
      try {
        for (;;) {
          seen.made++;
          yield { outputs: new Map([["TEXT", text]]) };
          await new Promise(setImmediate);
        }
      } finally {
        seen.cancelled = signal.aborted;
      }
    },
  };
  return { model, seen };
};

test("waits for a reader that does not read, and cancels for one that disconnects", async () => {
  const { model, seen } = endless();
  const server = await serveGrpc(memoryRuntime([model]), { port: 0 });
  // The library's client reads ahead without limit.
  const session = connect(`http://${server.address}`);
  onTestFinished(async () => {
    session.destroy();
    await server.close();
  });
  const { path, request } = grpcMethod("ModelStreamInfer");
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  for (const id of ["a", "b", "c"]) {
    const bytes = request.encode(ask(id, [], { model_name: "endless" }));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes.byteLength, 1);
    stream.write(Buffer.concat([head, bytes]));
  }
  await expect.poll(() => seen.made, { timeout: 10_000 }).toBeGreaterThan(3);
  let before = 0;
  while (before !== seen.made) {
    before = seen.made;
    await sleep(500);
  }
  expect(seen.made).toBeLessThan(1000);
  stream.close(constants.NGHTTP2_CANCEL);
  await expect.poll(() => seen.cancelled, { timeout: 10_000 }).toBe(true);
}, 60_000);

test("a client that reads late gets everything", async () => {
  const open = await opened();
  const stream = open();
  for (let i = 0; i < 20; i++) stream.write(ask(String(i), ["repeat 100"]));
  stream.end();
  await sleep(300);
  let count = 0;
  for await (const _ of stream) count++;
  expect(count).toBe(2000);
});

test.each([false, true])(
  "a client that cancels the stream cancels its requests, even after its last one (%s)",
  async (last) => {
    const { model, seen } = endless();
    const open = await opened(model);
    const stream = open();
    stream.on("error", () => {});
    stream.write(ask("e", [], { model_name: "endless" }));
    if (last) stream.end();
    await once(stream, "data");
    stream.cancel();
    await expect.poll(() => seen.cancelled).toBe(true);
  },
);
