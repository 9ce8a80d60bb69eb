import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf, valuesOf } from "@tritype/core";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp, serveMetrics } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectSameCounted, type Server } from "./counts.ts";
import { type GrpcCaller, openCaller } from "./grpc-call.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";
import { sequenceModels } from "./sequence-models.ts";

let judged: Judged;
let http: HttpServer;
let grpc: GrpcServer;
let metrics: HttpServer;
beforeAll(async () => {
  judged = await judgeFiles(sequenceModels());
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
  readonly model: string;
  readonly id?: string | number | bigint;
  /** "s", "e" or both. */
  readonly flags?: string;
  readonly data?: readonly number[];
  readonly shape?: readonly number[];
  readonly more?: object;
}

/** The status, and the model's report or the error message. */
const infer = async (
  url: string,
  { model, id, flags = "", data = [0], shape, more }: Sent,
): Promise<unknown> => {
  const rows = model === "unbatched" ? [] : [1];
  const x = { name: "X", datatype: "INT32", shape: shape ?? [...rows, data.length], data };
  const parameters = {
    ...(id === undefined ? {} : { sequence_id: typeof id === "bigint" ? `<${id}>` : id }),
    ...(flags.includes("s") ? { sequence_start: true } : {}),
    ...(flags.includes("e") ? { sequence_end: true } : {}),
    ...more,
  };
  const text = JSON.stringify({ id: "req", inputs: [x], parameters }).replaceAll(/"<(\d+)>"/g, "$1");
  const { status, headers, body } = await sendRaw(url, { path: `/v2/models/${model}/infer`, body: text });
  const answer = JSON.parse(body.toString()) as Answer;
  if (answer.error !== undefined)
    return {
      status,
      type: headers["content-type"],
      error: answer.error.replaceAll(/\/\S*model\.py/g, "model.py"),
    };
  return {
    ...answer,
    outputs: answer.outputs?.map(({ data, ...rest }) => ({ ...rest, told: told(data[0] ?? "") })),
  };
};
interface Answer {
  readonly error?: string;
  readonly outputs?: readonly { readonly data: readonly string[] }[];
}
const told = (text: string): unknown => JSON.parse(text) as unknown;

/** A server's answers to a sequence of requests. */
type Play = (infer: (sent: Sent) => Promise<unknown>, server: Server) => Promise<unknown>;

const expectSame = (models: readonly string[], play: Play): Promise<void> =>
  expectSameCounted(servers(), models, (server) => play((sent) => infer(server.http, sent), server));

/** Sends one request after another. `7s` starts sequence 7, `7e` ends it. */
const inTurn =
  (model: string, ...texts: readonly string[]): Play =>
  async (send) => {
    const answers: unknown[] = [];
    for (const text of texts) answers.push(await send(sentOf(model, text)));
    return answers;
  };
const sentOf = (model: string, text: string): Sent => {
  const [, id = "", flags = ""] = /^(\d*)([se]*)$/.exec(text) ?? [];
  return { model, id: Number(id), flags };
};

/** Sends the requests with pauses while the model is busy with the first one, without waiting for the answers. */
const whileBusy =
  (first: Sent, ...then: readonly Sent[]): Play =>
  async (send) => {
    const answers = [send({ ...first, data: [1500, ...(first.data ?? []).slice(1)] })];
    for (const sent of then) {
      await sleep(50);
      answers.push(send(sent));
    }
    return Promise.all(answers);
  };

test.each([
  "direct",
  "oldest",
  "unbatched",
  "narrow",
  "bare",
  "variable",
  "state",
  "graph",
  "oldest_graph",
  "direct_doubler",
  "oldest_doubler",
])("%s: one sequence and two sequences have the same controls and rows in both servers", async (model) => {
  const second = model === "unbatched" ? [] : ["2s", "2", "1", "2e"];
  await expectSame([model], inTurn(model, "1s", "1", ...second, "1e", "3se", "1", "1s", "1s", "1e"));
});

test.each(["returned", "returned_output"])(
  "%s: the state of a Python model never changes, in either server",
  async (model) => {
    await expectSame([model], async (send) => {
      const answers = await inTurn(model, "1s", "1", "1e")(send, servers()[0]);
      expect(JSON.stringify(answers).match(/"S":\[[^S]*?\]\]/g)).toEqual(
        Array.from({ length: 3 }, () => '"S":["int32",[1,2],[3,4]]'),
      );
      return answers;
    });
  },
);

test.each(["direct", "oldest", "unbatched", "narrow", "graph"])("%s: 64-bit ids", async (model) => {
  await expectSame([model], async (send) => {
    const answers: unknown[] = [];
    for (const id of [2n ** 64n - 1n, 2n ** 63n, 2n ** 32n + 1n, 2n ** 31n])
      answers.push(await send({ model, id, flags: "se" }));
    return answers;
  });
});

test("string ids", async () => {
  await expectSame(["bare", "texts"], async (send) => [
    await send({ model: "bare", id: "één", flags: "s" }),
    await send({ model: "bare", id: "een", flags: "" }),
    await send({ model: "bare", id: "één", flags: "e" }),
    await send({ model: "bare", id: "5", flags: "s" }),
    await send({ model: "bare", id: 5, flags: "" }),
    await send({ model: "bare", id: "5", flags: "e" }),
    // 24.10 pads shorter ids to 128 bytes, which turns them into two elements.
    await send({ model: "texts", id: "a".repeat(128), flags: "s" }),
    await send({ model: "texts", id: "a".repeat(128), flags: "e" }),
    await send({ model: "texts", id: "a".repeat(129), flags: "se" }),
  ]);
});

test("requests without a valid sequence get the same replies", async () => {
  await expectSame(["direct"], async (send) => [
    await send({ model: "direct" }),
    await send({ model: "direct", flags: "se" }),
    await send({ model: "direct", id: 0, flags: "s" }),
    await send({ model: "direct", id: "", flags: "s" }),
    await send({ model: "direct", id: 99 }),
    await send({ model: "direct", id: 99, flags: "e" }),
    await send({ model: "direct", id: "99" }),
    await send({ model: "direct", id: 99, flags: "s", data: [1, 2], shape: [2, 1] }),
    await send({ model: "direct", id: 99, flags: "s", data: [1, 2] }),
    await send({ model: "direct", id: 1.5, flags: "s" }),
    await send({ model: "direct", id: -1, flags: "s" }),
  ]);
});

test("a sequence continues after a failure of the model", async () => {
  await expectSame(["direct"], async (send) => [
    await send({ model: "direct", id: 1, flags: "s" }),
    await send({ model: "direct", id: 1, data: [-1] }),
    await send({ model: "direct", id: 1, flags: "e" }),
  ]);
});

test("direct: waiting requests share one batch, each in its own row", async () => {
  await expectSame(["crowded_direct"], inTurn("crowded_direct", "1s", "2s", "3s", "4s"));
  const [two, three, four] = [2, 3, 4].map((id): Sent => ({ model: "crowded_direct", id })) as [
    Sent,
    Sent,
    Sent,
  ];
  await expectSame(["crowded_direct"], whileBusy(two, four, three, two, two));
  await expectSame(["crowded_direct"], inTurn("crowded_direct", "1e", "2e", "3e", "4e"));
});

test("direct: sequences in the backlog begin in their order", async () => {
  await expectSame(["crowded_direct"], inTurn("crowded_direct", "1s", "2s", "3s", "4s"));
  await expectSame(
    ["crowded_direct"],
    whileBusy(
      sentOf("crowded_direct", "1"),
      ...["5s", "6se", "5", "7s", "2e", "1e", "5e", "3e", "4e", "7e"].map((text) =>
        sentOf("crowded_direct", text),
      ),
    ),
  );
});

test("oldest: a batch contains one request of each sequence", async () => {
  await expectSame(["crowded"], inTurn("crowded", "1s", "2s", "3s"));
  // Triton may batch them in different ways, because a batch may form while the model is busy.
  const play = whileBusy(
    sentOf("crowded", "1"),
    ...["2", "3", "2", "1", "1e", "4s", "2e", "4e", "3e"].map((text) => sentOf("crowded", text)),
  );
  const [wanted, got] = await Promise.all(
    servers().map(async (server) => {
      const answers = (await play((sent) => infer(server.http, sent), server)) as readonly Told[];
      return answers.map(({ outputs: [{ told }] }) => {
        const sequences = told.rows.map(({ sequence }) => sequence);
        return [told.rows[told.row], new Set(sequences).size === sequences.length];
      });
    }),
  );
  expect(got).toEqual(wanted);
});

interface Told {
  readonly outputs: readonly [
    {
      readonly told: {
        readonly row: number;
        readonly instance: string;
        readonly rows: readonly { readonly sequence: number }[];
      };
    },
  ];
}

test("direct: requests of a different shape wait for the next batch", async () => {
  await expectSame(["variable"], inTurn("variable", "1s", "2s", "3s"));
  await expectSame(
    ["variable"],
    whileBusy(
      { model: "variable", id: 1, data: [0, 1] },
      { model: "variable", id: 2, data: [0, 2] },
      { model: "variable", id: 3, data: [0, 2, 3] },
      { model: "variable", id: 1, data: [0, 3], flags: "e" },
      { model: "variable", id: 2, data: [0, 2, 4], flags: "e" },
      { model: "variable", id: 3, data: [0, 2], flags: "e" },
    ),
  );
});

test("direct: minimum_slot_utilization waits for rows", async () => {
  await expectSame(["waiting"], async (send) => {
    const first = send({ model: "waiting", id: 1, flags: "s" });
    await sleep(100);
    const began = performance.now();
    const both = await Promise.all([first, send({ model: "waiting", id: 2, flags: "s" })]);
    const atOnce = performance.now() - began < 1500;
    const alone = performance.now();
    const last = await send({ model: "waiting", id: 2, flags: "e" });
    return [
      both,
      atOnce,
      last,
      performance.now() - alone >= 1999,
      await inTurn("waiting", "1e")(send, servers()[0]),
    ];
  });
});

test("oldest: a batch of a preferred size waits for requests", async () => {
  await expectSame(["preferring"], async (send) => {
    const first = send({ model: "preferring", id: 1, flags: "s" });
    await sleep(50);
    const both = await Promise.all([first, send({ model: "preferring", id: 2, flags: "s" })]);
    const alone = performance.now();
    const last = await send({ model: "preferring", id: 2, flags: "e" });
    return [
      both,
      last,
      performance.now() - alone >= 399,
      await send({ model: "preferring", id: 1, flags: "e" }),
    ];
  });
});

test("an idle sequence ends, and the next one starts", async () => {
  await expectSame(["idle"], async (send) => {
    const began = performance.now();
    const first = await send({ model: "idle", id: 1, flags: "s" });
    await sleep(500);
    const second = await send({ model: "idle", id: 2, flags: "s" });
    const took = performance.now() - began;
    return [
      first,
      second,
      took >= 1000,
      await send({ model: "idle", id: 1 }),
      await send({ model: "idle", id: 2, flags: "e" }),
    ];
  });
});

test("a sequence in the backlog is refused once it has waited for too long", async () => {
  await expectSame(["unbatched"], async (send) => {
    const answers = [await send({ model: "unbatched", id: 1, flags: "s" })];
    const waiting = [
      send({ model: "unbatched", id: 2, flags: "s", more: { timeout: 600_000 } }),
      sleep(40).then(() => send({ model: "unbatched", id: 2 })),
    ];
    answers.push(...(await Promise.all(waiting)));
    return [
      ...answers,
      await send({ model: "unbatched", id: 2 }),
      await send({ model: "unbatched", id: 1, flags: "e" }),
    ];
  });
});

test("two instances: a sequence stays on its instance", async () => {
  // In Triton, either instance may start.
  const runs = await Promise.all(
    servers().map(async ({ http }) => {
      const instances = new Map<string, Set<string>>();
      for (const text of ["1s", "2s", "1", "2", "2", "1", "1e", "2e"]) {
        const sent = sentOf("pair", text);
        const { outputs } = (await infer(http, sent)) as Told;
        const own = instances.get(String(sent.id)) ?? new Set();
        instances.set(String(sent.id), own.add(outputs[0].told.instance));
      }
      return [...instances.values()]
        .map(({ size }) => size)
        .concat(new Set([...instances.values()].flatMap((one) => [...one])).size);
    }),
  );
  expect(runs).toEqual([
    [1, 1, 2],
    [1, 1, 2],
  ]);
});

test("ensembles and calls of Python models pass the sequence on", async () => {
  await expectSame(["direct", "around", "caller"], inTurn("around", "1s", "1", "2s", "2e", "1e"));
  await expectSame(["direct", "caller"], inTurn("caller", "1s", "1", "2s", "2e", "1e"));
});

/** A message of gRPC. */
const message = (model: string, text: string | number, flags: string, pause = 0): object => ({
  model_name: model,
  inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], contents: { int_contents: [pause] } }],
  parameters: {
    sequence_id: typeof text === "string" ? { string_param: text } : { int64_param: text },
    sequence_start: { bool_param: flags.includes("s") },
    sequence_end: { bool_param: flags.includes("e") },
  },
});

/** Expects the same replies from both servers. */
const overGrpc = async (play: (caller: GrpcCaller) => Promise<unknown>): Promise<void> => {
  const [wanted, got] = await Promise.all(
    servers().map(async (server) => {
      const caller = openCaller(server.grpc);
      const replies = await play(caller);
      caller.close();
      return JSON.stringify(replies, (_, value: unknown) =>
        typeof value === "bigint"
          ? String(value)
          : value instanceof Uint8Array
            ? Buffer.from(value).toString()
            : value,
      );
    }),
  );
  expect(got).toEqual(wanted);
};

test("over gRPC, both servers send the same replies", async () => {
  await overGrpc(async (caller) => {
    const replies: unknown[] = [];
    for (const [model, id, flags] of [
      ["direct", 3, "s"],
      ["direct", 3, ""],
      ["direct", 3, "e"],
      ["direct", 3, "e"],
      ["direct", 0, "se"],
      ["direct", -4, "se"],
      ["bare", "x", "s"],
      ["bare", "x", "e"],
      ["bare", "y", "e"],
    ] as const)
      replies.push(await caller.call({ method: "ModelInfer", message: message(model, id, flags) }));
    return replies;
  });
});

/** A model's message in a stream: its report about the request's own row. */
const ofOwnRow = (reply: object): unknown => {
  const { infer_response: response, ...rest } = reply as Partial<StreamReply>;
  const [bytes] = response?.raw_output_contents ?? [];
  if (bytes === undefined) return reply;
  const { row, rows } = told(Buffer.from(bytes).subarray(4).toString()) as Told["outputs"][0]["told"];
  return { ...rest, infer_response: { ...response, raw_output_contents: [rows[row]] } };
};

const several = (model: string, pause: number): readonly object[] =>
  ["71s", "72s", "79", "71", "72", "0", "71e", "79e", "72e", "73se", "71"].map((text, i) => {
    const { id, flags = "" } = sentOf(model, text);
    return { ...message(model, Number(id), flags, i === 0 ? pause : 0), id: `${i}` };
  });

test.each(["direct", "oldest"])(
  "%s: one stream may contain several sequences and refusals",
  async (model) => {
    await overGrpc(async (caller) => (await caller.stream(several(model, 0))).map(ofOwnRow));
  },
);

test.each(["direct_stream", "oldest_stream"])(
  "%s: refusals do not wait for the responses of others",
  async (model) => {
    await overGrpc(async (caller) => {
      const replies = (await caller.stream(several(model, 1500))) as readonly StreamReply[];
      const ids = replies.map(({ infer_response: { id } }) => id);
      // The order of the sequences depends on Triton's threads.
      const grouped = [...new Set(ids)].toSorted().map((id) => replies.filter((_, i) => ids[i] === id));
      return [ids.slice(0, 4), grouped.map((one) => one.map(ofOwnRow))];
    });
  },
);

test.each(["direct_stream", "oldest_stream"])("decoupled models answer alike: %s", async (model) => {
  const shown = (text: string): string => text.slice(text.indexOf("{"));
  const caller = openCaller(judged.triton.grpcAddress);
  for (const [id, flags] of [
    [1, "s"],
    [2, "s"],
    [2, "e"],
    [1, ""],
    [1, "e"],
  ] as const) {
    const replies = (await caller.stream([message(model, id, flags)])) as readonly StreamReply[];
    const wanted = replies.map(
      ({
        infer_response: {
          raw_output_contents: [bytes],
        },
      }) => shown(Buffer.from(bytes ?? []).toString()),
    );
    const got: string[] = [];
    const request = {
      model,
      id: "",
      inputs: new Map([["X", tensorOf("INT32", [1, 1], [0])]]),
      parameters: {
        sequence_id: BigInt(id),
        sequence_start: flags.includes("s"),
        sequence_end: flags.includes("e"),
      },
    };
    for await (const { response, error } of judged.local.stream(request)) {
      const y = response?.outputs.get("Y");
      if (y !== undefined || error !== undefined) got.push(shown(String(y && valuesOf(y)[0])));
    }
    expect(got).toEqual(wanted);
  }
  caller.close();
});

interface StreamReply {
  readonly infer_response: { readonly id: string; readonly raw_output_contents: readonly Uint8Array[] };
}

test("after a client disconnects, its sequence continues without a request", async () => {
  // Triton's HTTP front end does not notice that a client has disconnected, so only what comes afterwards is compared.
  await expectSame(["unbatched"], async (send, { http: url }) => {
    const first = await send({ model: "unbatched", id: 1, flags: "s" });
    const leaving = new AbortController();
    const inputs = [{ name: "X", datatype: "INT32", shape: [1], data: [300] }];
    const body = JSON.stringify({ inputs, parameters: { sequence_id: 1 } });
    const left = fetch(`${url}/v2/models/unbatched/infer`, { method: "POST", body, signal: leaving.signal });
    await sleep(100);
    leaving.abort();
    return [first, await left.catch(() => "left"), await send({ model: "unbatched", id: 1, flags: "e" })];
  });
});

/**
 * A random series of sequence requests. It tracks which sequences have a slot, and waits for the answers that can arrive.
 */
const randomPlay =
  (model: string, slots: number, seed: number): Play =>
  async (send) => {
    const random = generator(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const active = new Set<number>();
    const backlog: { readonly id: number; ended: boolean; readonly answers: Promise<unknown>[] }[] = [];
    const answers: unknown[] = [];
    const free = async (id: number): Promise<void> => {
      active.delete(id);
      const next = backlog.shift();
      if (next === undefined) return;
      active.add(next.id);
      answers.push(...(await Promise.all(next.answers)));
      if (next.ended) await free(next.id);
    };
    let last = 0;
    const step = async (ending: boolean): Promise<void> => {
      const open = backlog.filter(({ ended }) => !ended);
      const fresh = !ending && random() < 0.35 && active.size + backlog.length < slots + 3;
      const ends = ending || random() < 0.3;
      if (fresh && active.size < slots) {
        active.add(++last);
        answers.push(await send({ model, id: last, flags: ends ? "se" : "s" }));
        if (ends) await free(last);
      } else if (fresh) {
        const sent = send({ model, id: ++last, flags: ends ? "se" : "s" });
        backlog.push({ id: last, ended: ends, answers: [sent] });
        await sleep(25);
      } else if (open.length > 0 && !ending && random() < 0.3) {
        const one = pick(open);
        one.ended = ends;
        one.answers.push(send({ model, id: one.id, flags: ends ? "e" : "" }));
        await sleep(25);
      } else if (active.size > 0) {
        const id = pick([...active]);
        answers.push(await send({ model, id, flags: ends ? "e" : "" }));
        if (ends) await free(id);
      }
    };
    for (let i = 0; i < 60; i++) await step(false);
    while (active.size > 0) await step(true);
    return answers;
  };

const generator = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

test.each([
  ["direct", 4, 1],
  ["direct", 4, 2],
  ["oldest", 3, 3],
  ["oldest", 3, 4],
  ["unbatched", 1, 5],
  ["narrow", 2, 6],
  ["graph", 4, 7],
] as const)("%s with %i slots agrees on random sequences (seed %i)", async (model, slots, seed) => {
  await expectSame([model], randomPlay(model, slots, seed));
});
