import { PipelineError, type TensorData } from "@tritype/core";
import type { ModelConfig, ModelDynamicBatching } from "@tritype/triton";
import { expect, test } from "vitest";
import type { LoadedModel, ModelRequest } from "../backend.ts";
import type { Parameters } from "../runtime.ts";
import { createDynamicBatcher } from "./dynamic-batcher.ts";
import { simulatedClock } from "./simulated-clock.fixture.ts";

interface Arrival {
  readonly at: number;
  readonly id: string;
  readonly rows?: number;
  /** Size of the variable dim; default 4. */
  readonly length?: number;
  readonly parameters?: Parameters;
}
interface Case {
  readonly about: string;
  readonly batching?: ModelDynamicBatching;
  readonly config?: Partial<ModelConfig>;
  readonly instances?: number;
  /** Duration of an execution in microseconds; default 1000. */
  readonly takes?: number;
  readonly arrivals: readonly Arrival[];
  /** `time: ids`, in execution order. */
  readonly executions: readonly string[];
  /** `time id: text` of the failed requests. */
  readonly refused?: readonly string[];
  /** Ids in the order of their responses, if requested. */
  readonly answers?: readonly string[];
}

const tensor = (shape: readonly number[]): TensorData => ({
  dtype: "FP32",
  shape,
  data: new Uint8Array(4 * shape.reduce((n, dim) => n * dim, 1)),
});
const row: ReadonlyMap<string, TensorData> = new Map([["x", tensor([1, 4])]]);
const arrivals = (at: number, ids: string, extra: Partial<Arrival> = {}): readonly Arrival[] =>
  ids.split("").map((id) => ({ at, id, ...extra }));

const cases: readonly Case[] = [
  {
    about: "requests that arrive together run together, up to max_batch_size",
    arrivals: arrivals(0, "abcdef"),
    executions: ["0: abcd", "1000: ef"],
  },
  {
    about: "without a delay the first request does not wait for others",
    arrivals: [...arrivals(0, "a"), ...arrivals(10, "bc")],
    executions: ["0: a", "1000: bc"],
  },
  {
    about: "a delay lets a batch form",
    batching: { max_queue_delay_microseconds: 500 },
    arrivals: [...arrivals(0, "a"), ...arrivals(200, "b"), ...arrivals(499, "c")],
    executions: ["500: abc"],
  },
  {
    about: "a full batch does not wait",
    batching: { max_queue_delay_microseconds: 500 },
    arrivals: [...arrivals(0, "ab"), ...arrivals(100, "cd")],
    executions: ["100: abcd"],
  },
  {
    about: "a batch of a preferred size runs immediately, the rest waits for the delay",
    batching: { preferred_batch_size: [2], max_queue_delay_microseconds: 500 },
    arrivals: arrivals(0, "abc"),
    instances: 2,
    executions: ["0: ab", "500: c"],
  },
  {
    about: "the largest preferred size that the queue reaches is used",
    batching: { preferred_batch_size: [2, 3], max_queue_delay_microseconds: 500 },
    arrivals: arrivals(0, "abc"),
    executions: ["0: abc"],
  },
  {
    about: "a request that would make it larger than every preferred size ends the batch",
    batching: { preferred_batch_size: [2], max_queue_delay_microseconds: 500 },
    arrivals: [
      { at: 0, id: "a" },
      { at: 1, id: "b", rows: 2 },
    ],
    instances: 2,
    executions: ["1: a", "1: b"],
  },
  {
    about: "after the delay up to max_batch_size requests run, preferred size or not",
    batching: { preferred_batch_size: [2], max_queue_delay_microseconds: 500 },
    instances: 1,
    arrivals: arrivals(0, "abcde"),
    executions: ["0: ab", "1000: cde"],
  },
  {
    about: "rows count, not requests",
    arrivals: [
      { at: 0, id: "a", rows: 3 },
      { at: 0, id: "b", rows: 2 },
      { at: 0, id: "c", rows: 2 },
    ],
    executions: ["0: a", "1000: bc"],
  },
  {
    about: "requests with different shapes are not batched together",
    arrivals: [
      { at: 0, id: "a" },
      { at: 0, id: "b", length: 5 },
      { at: 0, id: "c", length: 5 },
    ],
    executions: ["0: a", "1000: bc"],
  },
  {
    about: "ragged inputs are batched together whatever their shapes",
    config: { input: [{ name: "x", data_type: "TYPE_FP32", dims: [-1], allow_ragged_batch: true }] },
    arrivals: [
      { at: 0, id: "a" },
      { at: 0, id: "b", length: 5 },
    ],
    executions: ["0: ab"],
  },
  {
    about: "batches form while every instance is busy",
    instances: 2,
    arrivals: [...arrivals(0, "a"), ...arrivals(1, "b"), ...arrivals(2, "cd"), ...arrivals(900, "e")],
    executions: ["0: a", "1: b", "1000: cde"],
  },
  {
    about: "level 1 runs before level 2, regardless of the order of arrival",
    batching: { priority_levels: 2, default_priority_level: 2 },
    arrivals: [
      { at: 0, id: "a" },
      { at: 1, id: "b" },
      { at: 2, id: "c", parameters: { priority: 1 } },
      { at: 3, id: "d", parameters: { priority: 9 } },
      { at: 4, id: "e", rows: 2 },
    ],
    executions: ["0: a", "1000: cbd", "2000: e"],
  },
  {
    about: "a full queue refuses requests",
    batching: { default_queue_policy: { max_queue_size: 2 } },
    arrivals: [...arrivals(0, "a"), ...arrivals(10, "bcd")],
    executions: ["0: a", "1000: bc"],
    refused: ["10 d: [request id: d] Exceeds maximum queue size"],
  },
  {
    about: "a request that times out is refused, even while all instances are busy",
    batching: { default_queue_policy: { default_timeout_microseconds: 300 } },
    arrivals: [...arrivals(0, "a"), ...arrivals(10, "b"), ...arrivals(800, "c")],
    executions: ["0: a", "1000: c"],
    refused: ["311 b: Request timeout expired"],
  },
  {
    about: "a request that times out runs after the others if the policy is DELAY",
    batching: { default_queue_policy: { default_timeout_microseconds: 300, timeout_action: "DELAY" } },
    arrivals: [...arrivals(0, "a"), ...arrivals(10, "b", { rows: 4 }), ...arrivals(800, "c")],
    executions: ["0: a", "1000: c", "2000: b"],
  },
  {
    about: "delayed requests count for a full queue",
    batching: {
      default_queue_policy: {
        default_timeout_microseconds: 300,
        timeout_action: "DELAY",
        max_queue_size: 2,
      },
    },
    arrivals: [...arrivals(0, "a"), ...arrivals(10, "bc", { rows: 4 }), ...arrivals(1100, "de", { rows: 4 })],
    executions: ["0: a", "1000: b", "2000: c", "3000: d"],
    refused: ["1100 e: [request id: e] Exceeds maximum queue size"],
  },
  {
    about: "a request may shorten its timeout if the policy allows it",
    batching: {
      default_queue_policy: { default_timeout_microseconds: 5000, allow_timeout_override: true },
    },
    arrivals: [
      { at: 0, id: "a" },
      { at: 10, id: "b", parameters: { timeout: 100 } },
      { at: 10, id: "c", parameters: { timeout: 9000 } },
    ],
    executions: ["0: a", "1000: c"],
    refused: ["111 b: Request timeout expired"],
  },
  {
    about: "a request cannot shorten its timeout if the policy does not allow it",
    batching: { default_queue_policy: { default_timeout_microseconds: 5000 } },
    arrivals: [
      { at: 0, id: "a" },
      { at: 10, id: "b", parameters: { timeout: 100 } },
    ],
    executions: ["0: a", "1000: b"],
  },
  {
    about: "a request that times out during the delay is refused without affecting the others",
    batching: {
      max_queue_delay_microseconds: 5000,
      default_queue_policy: { default_timeout_microseconds: 1000, allow_timeout_override: true },
    },
    arrivals: [
      { at: 0, id: "a", parameters: { timeout: 200 } },
      { at: 0, id: "b" },
    ],
    executions: [],
    refused: ["201 a: Request timeout expired", "1001 b: Request timeout expired"],
  },
  {
    about: "each level has its own policy",
    batching: {
      priority_levels: 2,
      default_priority_level: 1,
      priority_queue_policy: { 2: { max_queue_size: 1 } },
    },
    arrivals: [
      { at: 0, id: "a" },
      { at: 1, id: "b" },
      { at: 1, id: "c" },
      { at: 1, id: "d", parameters: { priority: 2 } },
      { at: 1, id: "e", parameters: { priority: 2 } },
    ],
    executions: ["0: a", "1000: bcd"],
    refused: ["1 e: [request id: e] Exceeds maximum queue size"],
  },
  {
    about: "responses are sent as they become ready",
    instances: 2,
    arrivals: [
      { at: 0, id: "a", rows: 4 },
      { at: 1, id: "b" },
    ],
    executions: ["0: a", "1: b"],
    answers: ["b", "a"],
  },
  {
    about: "responses are sent in the order of the requests if the configuration preserves it",
    instances: 2,
    batching: { preserve_ordering: true },
    arrivals: [
      { at: 0, id: "a", rows: 4 },
      { at: 1, id: "b" },
    ],
    executions: ["0: a", "1: b"],
    answers: ["a", "b"],
  },
  {
    about: "a model without batching gets one request at a time",
    config: { max_batch_size: 0 },
    batching: { preferred_batch_size: [] },
    arrivals: arrivals(0, "ab"),
    executions: ["0: a", "1000: b"],
  },
];

test("messages of decoupled requests are sent in the order of the requests if the configuration preserves it", async () => {
  const clock = simulatedClock();
  const sent: string[] = [];
  const running = new Map<string, (message: string, final: boolean) => void>();
  const taken: string[] = [];
  const model: LoadedModel = {
    instances: 4,
    execute: (requests) => {
      for (const { id, reply } of requests)
        running.set(id, (text, final) => reply?.({ final, taken: () => void taken.push(id + text) }));
      return Promise.resolve(
        requests.map(({ id }) => (id === "c" ? { error: failure } : { outputs: new Map() })),
      );
    },
    close: () => Promise.resolve(),
  };
  const failure = new PipelineError("model/failed", "failed");
  const config = { name: "m", max_batch_size: 1, dynamic_batching: { preserve_ordering: true } };
  const scheduler = createDynamicBatcher({ model, config, clock, observer: {} });
  const ask = (id: string): Promise<unknown> =>
    scheduler.infer({
      id,
      inputs: row,
      outputs: [],
      parameters: {},
      reply: ({ final, taken: read }) => {
        sent.push(final ? `${id}.` : id);
        read?.();
      },
    });
  const asked = ["a", "b", "c", "d"].map(ask);
  await clock.advance(10);
  const say = (id: string, final = false): void => running.get(id)?.("", final);
  say("b");
  say("d");
  say("d", true);
  say("a");
  say("b", true);
  expect(sent).toEqual(["a"]);
  expect(taken).toEqual(["b", "d", "d", "a", "b"]);
  say("a", true);
  await clock.advance(20);
  expect(sent).toEqual(["a", "a.", "b", "b.", "d", "d."]);
  await Promise.all(asked);
});

test.each(cases.map((one) => [one.about, one] as const))("%s", async (_, one) => {
  const { batching = {}, instances = 1, takes = 1000 } = one;
  const clock = simulatedClock();
  const executions: string[] = [];
  const model: LoadedModel = {
    instances,
    execute: (requests) => {
      executions.push(`${clock.now()}: ${requests.map(({ id }) => id).join("")}`);
      const rows = requests.reduce((sum, { inputs }) => sum + (inputs.get("x")?.shape[0] ?? 0), 0);
      const duration = one.answers === undefined ? takes : takes * rows;
      return new Promise((resolve) => {
        clock.at(clock.now() + duration, () => resolve(requests.map(() => ({ outputs: new Map() }))));
      });
    },
    close: () => Promise.resolve(),
  };
  const config: ModelConfig = {
    name: "m",
    max_batch_size: 4,
    input: [{ name: "x", data_type: "TYPE_FP32", dims: [-1] }],
    ...one.config,
    dynamic_batching: batching,
  };
  const scheduler = createDynamicBatcher({ model, config, clock, observer: {} });
  const refused: string[] = [];
  const answers: string[] = [];
  const results: Promise<void>[] = [];
  for (const { at, id, rows = 1, length = 4, parameters = {} } of one.arrivals) {
    if (at > clock.now()) await clock.advance(at);
    const request: ModelRequest = {
      id,
      inputs: new Map([["x", tensor([rows, length])]]),
      outputs: [],
      parameters,
    };
    results.push(
      scheduler.infer(request).then((result) => {
        if ("error" in result) refused.push(`${clock.now()} ${id}: ${result.error.message}`);
        else answers.push(id);
      }),
    );
  }
  await clock.advance(100_000);
  await Promise.all(results);
  await scheduler.close();
  expect(executions).toEqual(one.executions);
  expect(refused).toEqual(one.refused ?? []);
  if (one.answers !== undefined) expect(answers).toEqual(one.answers);
  expect(scheduler.waiting()).toBe(0);
});

test("a batch of a preferred size starts before the previous batch's responses are sent; others start after", async () => {
  const clock = simulatedClock();
  const events: string[] = [];
  const model: LoadedModel = {
    instances: 1,
    execute: (requests) => {
      events.push(`run ${requests.map(({ id }) => id).join("")}`);
      return new Promise((resolve) => {
        clock.at(clock.now() + 1000, () => resolve(requests.map(() => ({ outputs: new Map() }))));
      });
    },
    close: () => Promise.resolve(),
  };
  const config: ModelConfig = {
    name: "m",
    max_batch_size: 4,
    dynamic_batching: { preferred_batch_size: [2] },
  };
  const scheduler = createDynamicBatcher({ model, config, clock, observer: {} });
  const results = ["a", "b", "c", "d", "e"].map(async (id) => {
    await scheduler.infer({ id, inputs: row, outputs: [], parameters: {} });
    events.push(id);
  });
  await clock.advance(10_000);
  await Promise.all(results);
  expect(events).toEqual(["run ab", "run cd", "a", "b", "c", "d", "run e", "e"]);
});

test("close runs waiting requests and refuses later ones", async () => {
  const clock = simulatedClock();
  const executed: string[] = [];
  const model: LoadedModel = {
    instances: 1,
    execute: (requests) => {
      executed.push(...requests.map(({ id }) => id));
      return Promise.resolve(requests.map(() => ({ outputs: new Map() })));
    },
    close: () => Promise.resolve(),
  };
  const config: ModelConfig = { name: "m", max_batch_size: 4, dynamic_batching: {} };
  const scheduler = createDynamicBatcher({ model, config, clock, observer: {} });
  const request = (id: string): ModelRequest => ({ id, inputs: row, outputs: [], parameters: {} });
  const first = scheduler.infer(request("a"));
  const closing = scheduler.close();
  expect(await scheduler.infer(request("b"))).toMatchObject({ error: { code: "model/unavailable" } });
  expect(await first).toEqual({ outputs: new Map() });
  await closing;
  expect(executed).toEqual(["a"]);
});

test("a failing model fails its batch, and the next batch runs", async () => {
  const clock = simulatedClock();
  const model: LoadedModel = {
    instances: 1,
    execute: (requests) =>
      requests.length > 1
        ? Promise.reject(new Error("boom"))
        : Promise.resolve(requests.map(() => ({ outputs: new Map() }))),
    close: () => Promise.resolve(),
  };
  const config: ModelConfig = { name: "m", max_batch_size: 2, dynamic_batching: {} };
  const scheduler = createDynamicBatcher({ model, config, clock, observer: {} });
  const results = await Promise.all(
    ["a", "b", "c"].map((id) => scheduler.infer({ id, inputs: row, outputs: [], parameters: {} })),
  );
  expect(results).toMatchObject([
    { error: { message: "model 'm' failed: boom" } },
    { error: { message: "model 'm' failed: boom" } },
    { outputs: new Map() },
  ]);
});
