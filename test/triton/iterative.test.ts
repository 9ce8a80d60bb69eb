import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf } from "@tritype/core";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp, serveMetrics } from "@tritype/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Counts, countsOfModels, expectSameCounted, grown, type Server } from "./counts.ts";
import { openCaller } from "./grpc-call.ts";
import { iterativeModels, modes } from "./iterative-models.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";
import { generateStream, openStream } from "./stream-call.ts";

let judged: Judged;
let http: HttpServer;
let grpc: GrpcServer;
let metrics: HttpServer;
beforeAll(async () => {
  judged = await judgeFiles(iterativeModels());
  http = await serveHttp(judged.local, { port: 0 });
  grpc = await serveGrpc(judged.local, { port: 0 });
  metrics = await serveMetrics(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), grpc?.close(), metrics?.close()]);
  await judged?.stop();
});

const servers = (): readonly [triton: Server, local: Server] => [
  { http: judged.triton.httpUrl, grpc: judged.triton.grpcAddress, metrics: judged.triton.metricsUrl },
  { http: http.url, grpc: grpc.address, metrics: `${metrics.url}/metrics` },
];

interface Sent {
  readonly id?: string;
  readonly turns: number;
  readonly mode?: keyof typeof modes;
  /** Duration of an execution in milliseconds. */
  readonly pause?: number;
  readonly rows?: number;
  readonly sequence?: { readonly id: number; readonly starts?: boolean; readonly ends?: boolean };
}
const values = ({ turns, mode = "good", pause = 0, rows = 1 }: Sent): readonly number[] =>
  Array.from({ length: rows }, () => [turns, modes[mode], pause]).flat();

/** The status, and the model's report or the error, over HTTP. */
const infer = async (url: string, model: string, sent: Sent): Promise<unknown> => {
  const shape = model.startsWith("unbatched") ? [3] : [sent.rows ?? 1, 3];
  const { id = "a", sequence } = sent;
  const inputs = [{ name: "X", datatype: "INT32", shape, data: values(sent) }];
  const parameters = {
    sequence_id: sequence?.id,
    sequence_start: sequence?.starts,
    sequence_end: sequence?.ends,
  };
  const body = JSON.stringify({ id, inputs, ...(sequence === undefined ? {} : { parameters }) });
  const reply = await sendRaw(url, { path: `/v2/models/${model}/infer`, body });
  return [reply.status, shown(JSON.parse(reply.body.toString()))];
};

/** The messages of a gRPC stream with several requests, for each request. */
const stream = async (address: string, model: string, ...all: readonly Sent[]): Promise<unknown> => {
  const caller = openCaller(address);
  const shape = model.startsWith("unbatched") ? [3] : [1, 3];
  const messages = all.map((sent) => ({
    id: sent.id ?? "a",
    model_name: model,
    inputs: [{ name: "X", datatype: "INT32", shape, contents: { int_contents: values(sent) } }],
    parameters: {
      triton_enable_empty_final_response: { bool_param: true },
      ...(sent.sequence === undefined
        ? {}
        : {
            sequence_id: { int64_param: sent.sequence.id },
            sequence_start: { bool_param: sent.sequence.starts === true },
            sequence_end: { bool_param: sent.sequence.ends === true },
          }),
    },
  }));
  const replies = await caller.stream(messages);
  caller.close();
  return Object.fromEntries(
    all.map(({ id = "a" }) => [
      id,
      (replies.map(shown) as readonly Message[]).filter((one) => (one.infer_response?.id ?? id) === id),
    ]),
  );
};
interface Message {
  readonly infer_response?: { readonly id?: string };
}

/** Leaves the server's folder out of paths, and shows the bytes of a string as text without its length. */
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) => {
      if (isBuffer(one)) return Buffer.from(one.data).subarray(4).toString();
      return typeof one === "bigint" ? String(one) : one;
    }).replaceAll(/[^\s"\\]*model\.py/g, "model.py"),
  );

/** The JSON form of a Buffer. */
const isBuffer = (value: unknown): value is { readonly data: readonly number[] } =>
  typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";

const expectSame = (models: readonly string[], play: (server: Server) => Promise<unknown>): Promise<void> =>
  expectSameCounted(servers(), models, play);

/** Sends one request after another. Triton frees a sequence's slot only after it has answered. */
const inTurn =
  (model: string, ...all: readonly Sent[]) =>
  async ({ http: url }: Server): Promise<unknown> => {
    const answers: unknown[] = [];
    for (const sent of all) {
      answers.push(await infer(url, model, sent));
      await sleep(50);
    }
    return answers;
  };

/** How many requests failed. */
const failures = async (server: Server, model: string): Promise<Counts> =>
  new Map([...(await countsOfModels(server, [model]))].filter(([name]) => name.includes("fail")));

test.each(["oldest", "direct", "unbatched", "alone", "state"])(
  "%s: a request runs again until it is released",
  async (model) => {
    await expectSame([model], inTurn(model, { turns: 3 }, { turns: 1 }, { turns: 20 }));
  },
);

test.each(["oldest", "direct", "unbatched"])("%s: failures between turns end the sequence", async (model) => {
  await expectSame(
    [model],
    inTurn(
      model,
      { turns: 3, mode: "raises" },
      { turns: 3, mode: "raisesLate" },
      { turns: 3, mode: "errs" },
      { turns: 2, mode: "errs" },
      { turns: 3, mode: "answersTwice" },
      { turns: 3, mode: "otherFlags" },
      { turns: 2 },
    ),
  );
});

test.each(["oldest", "oldest_stream"])("%s: durations include all executions", async (model) => {
  const pause = 100;
  const both = await Promise.all(
    servers().map(async (server) => {
      const before = await milliseconds(server, model);
      await stream(server.grpc, model, { turns: 3, pause });
      await expect
        .poll(async () => (await failures(server, model)).get(`${model} 1 fail`))
        .toBeGreaterThan(0);
      const after = await milliseconds(server, model);
      return { infer: after.infer - before.infer, success: after.success - before.success };
    }),
  );
  for (const { infer, success } of both) {
    expect(infer).toBeGreaterThanOrEqual(3 * pause);
    // Each execution counts the time since the request arrived.
    expect(success).toBeGreaterThanOrEqual((1 + 2 + 3) * pause);
  }
});

/** Sums of durations. */
const milliseconds = async ({ http: url }: Server, model: string) => {
  const { body } = await sendRaw(url, { path: `/v2/models/${model}/stats` });
  const { model_stats } = JSON.parse(body.toString()) as { readonly model_stats: readonly [DurationStats] };
  const { compute_infer, success } = model_stats[0].inference_stats;
  return { infer: compute_infer.ns / 1e6, success: success.ns / 1e6 };
};
interface DurationStats {
  readonly inference_stats: Readonly<Record<"compute_infer" | "success", { readonly ns: number }>>;
}

test("clients may send sequence ids", async () => {
  await expectSame(["oldest"], async ({ http: url }) => [
    await infer(url, "oldest", { turns: 2, sequence: { id: 70, starts: true } }),
    await infer(url, "oldest", { turns: 1, sequence: { id: 70 } }),
    await infer(url, "oldest", { turns: 1, sequence: { id: 70, starts: true, ends: true } }),
    await infer(url, "oldest", { turns: 2, sequence: { id: 0, ends: true } }),
    await infer(url, "oldest", { turns: 2, rows: 2 }),
    await infer(url, "oldest", { turns: 1 }),
  ]);
});

test.each(["oldest_stream", "direct_stream", "unbatched_stream", "state_stream"])(
  "%s: a model may send responses between the turns",
  async (model) => {
    await expectSame([model], async ({ grpc: address }) => [
      await stream(address, model, { turns: 3 }),
      await stream(address, model, { turns: 1 }),
      await stream(address, model, { turns: 3, mode: "errs" }),
      await stream(address, model, { turns: 3, mode: "keepsSender" }),
      await stream(address, model, { turns: 2, sequence: { id: 70, starts: true } }),
      await stream(address, model, { turns: 2, sequence: { id: 70 } }),
    ]);
  },
);

test("decoupled: a failure between turns ends the sequence", async () => {
  // A stream with an error never ends in Triton, because the error is not the last message.
  for (const mode of ["raises", "raisesLate"] as const)
    await expectSame(["direct_stream"], async ({ grpc: address }) => {
      const inputs = new Map([["X", tensorOf("INT32", [1, 3], values({ turns: 3, mode }))]]);
      const answers = await openStream(address, "direct_stream", inputs).answers;
      return answers.map(({ outputs, error }) => [outputs.size, shown(error)]);
    });
});

/** Messages without the position in the batch, which depends on Triton's threads. */
const ofOwn = (messages: unknown): unknown =>
  JSON.parse(JSON.stringify(messages).replaceAll(/\\"row\\": \d+, /g, ""));

test.each(["oldest_stream", "direct_stream", "alone_stream", "unbatched_stream"])(
  "%s: one stream may contain more requests than there are slots",
  async (model) => {
    const all = Array.from({ length: 9 }, (_, i) => ({ id: `r${i}`, turns: 1 + ((i * 3) % 5), pause: 5 }));
    const [wanted, got] = await Promise.all(
      servers().map(async ({ grpc: address }) => ofOwn(await stream(address, model, ...all))),
    );
    expect(got).toEqual(wanted);
  },
);

test("generate_stream and generate work", async () => {
  await expectSame(["oldest_stream", "oldest"], async ({ http: url }) => [
    await generateStream(url, "oldest_stream", { X: [3, modes.good, 0] }),
    await generateStream(url, "oldest_stream", { X: [3, modes.errs, 0] }),
    await generateStream(url, "oldest", { X: [3, modes.good, 0] }),
    (await sendRaw(url, { path: "/v2/models/oldest/generate", body: `{"X": [2, 0, 0]}` })).body.toString(),
  ]);
});

test("ensembles of iterative models work", async () => {
  await expectSame(["around_oldest", "oldest"], async ({ http: url }) => [
    await infer(url, "around_oldest", { turns: 3 }),
    await infer(url, "around_oldest", { turns: 1 }),
  ]);
  await expectSame(["oldest"], async ({ http: url }) => [
    await infer(url, "around_oldest", { turns: 3, mode: "raises" }),
  ]);
  await expectSame(["around_oldest_stream", "oldest_stream"], async ({ grpc: address }) => [
    await stream(address, "around_oldest_stream", { turns: 3 }),
    await stream(address, "around_oldest_stream", { turns: 1 }),
  ]);
});

test("if a client disconnects between turns, its slot is free for the next one", async () => {
  const [wanted, got] = await Promise.all(
    servers().map(async (server) => {
      const before = await failures(server, "alone_stream");
      const inputs = new Map([["X", tensorOf("INT32", [1, 3], values({ turns: 500, pause: 100 }))]]);
      const leaving = openStream(server.grpc, "alone_stream", inputs, "leaving");
      await leaving.first;
      leaving.cancel();
      const next = await stream(server.grpc, "alone_stream", { id: "next", turns: 2 });
      await sleep(100);
      // How many turns had begun depends on the machine.
      return [ofOwn(next), grown(before, await failures(server, "alone_stream"))];
    }),
  );
  expect(got).toEqual(wanted);
});

describe("where a client of Triton waits forever, a client of our server gets an error", () => {
  const deleted = expect.stringMatching(
    /deleted the response sender of a request without marking a response/,
  );
  test.concurrent.each([
    [
      "a last turn without a final message",
      "oldest_stream",
      { turns: 2, mode: "forgets" },
      ["", "", deleted],
    ],
    ["a model without iterative_sequence", "plain_stream", { turns: 2 }, ["", deleted]],
    [
      "a turn that takes longer than max_sequence_idle_microseconds",
      "impatient_stream",
      { turns: 2, pause: 2500 },
      [
        "",
        "inference request for sequence N to model 'impatient_stream' must specify the START flag on the first request of the sequence",
      ],
    ],
  ] as const)("%s", async (_, model, sent, wanted) => {
    const [theirs, ours] = await Promise.all(
      servers().map(async ({ grpc: address }) => {
        const inputs = new Map([["X", tensorOf("INT32", [1, 3], values(sent))]]);
        const call = openStream(address, model, inputs);
        const ended = await Promise.race([call.answers, sleep(4000)]);
        call.cancel();
        return ended?.map(({ error }) => error.replace(/sequence \d+/, "sequence N"));
      }),
    );
    expect(theirs).toBeUndefined();
    expect(ours).toEqual(wanted);
  });
  test("rescheduling in the last request, or without iterative_sequence, is an error", async () => {
    const { http: url } = servers()[1];
    expect(await infer(url, "oldest", { turns: 2, sequence: { id: 71, starts: true, ends: true } })).toEqual([
      400,
      {
        error:
          "inference request for sequence 71 to model 'oldest' must specify the START flag on the first request of the sequence",
      },
    ]);
    for (const [model, sequence] of [
      ["plain", undefined],
      ["regular", { id: 72, starts: true }],
    ] as const)
      expect(await infer(url, model, { turns: 2, ...(sequence && { sequence }) })).toEqual([
        500,
        {
          error:
            "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not configured to handle such a flag.",
        },
      ]);
  });
});
