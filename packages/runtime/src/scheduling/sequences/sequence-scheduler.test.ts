import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { expect, test } from "vitest";
import type { ModelResult } from "../../backend.ts";
import type { Parameters } from "../../runtime.ts";
import { controls, rowText, scene } from "./sequence-scene.fixture.ts";

test("a sequence keeps its row, and lower rows without a request are empty", async () => {
  const { clock, batches, events, sendAll } = scene({});
  sendAll("7S", "8S", "9S");
  await clock.advance(1);
  sendAll("9", "7");
  await clock.advance(2);
  sendAll("8E");
  await clock.advance(3);
  sendAll("10S", "9");
  await clock.advance(4);
  expect(batches).toEqual(["0: 7S 8S 9S", "0: 7 - 9", "0: - 8E", "0: - 10S 9"]);
  expect(events).toEqual(["ran 3, empty 0", "ran 2, empty 1", "ran 1, empty 1", "ran 2, empty 1"]);
});

test("requests in a sequence run one after another, in order", async () => {
  const { clock, batches, answers, sendAll } = scene({ takes: 10 });
  sendAll("7S", "7", "7E", "8S", "8E");
  await clock.advance(100);
  expect(batches).toEqual(["0: 7S 8S", "0: 7 8E", "0: 7E"]);
  expect(answers).toEqual(["7S ok", "8S ok", "7 ok", "8E ok", "7E ok"]);
});

test("further sequences wait until one ends, and start in order", async () => {
  const { clock, batches, scheduler, sendAll } = scene({ maxBatchSize: 2 });
  sendAll("1S", "2S", "3S", "4S", "3", "4E");
  await clock.advance(1);
  expect([batches, scheduler.waiting()]).toEqual([["0: 1S 2S"], 4]);
  sendAll("2E");
  await clock.advance(2);
  expect(batches.slice(1)).toEqual(["0: - 2E", "0: - 3S", "0: - 3"]);
  sendAll("1E", "3");
  await clock.advance(3);
  expect(batches.slice(4)).toEqual(["0: 1E 3", "0: 4S", "0: 4E"]);
});

test("an idle sequence ends, and the next one in the backlog gets its slot", async () => {
  const { clock, batches, answers, sendAll } = scene({
    maxBatchSize: 1,
    batching: { max_sequence_idle_microseconds: 1000 },
  });
  sendAll("1S");
  await clock.advance(900);
  sendAll("1", "2S");
  await clock.advance(1899);
  expect(batches).toEqual(["0: 1S", "0: 1"]);
  await clock.advance(1900);
  sendAll("1");
  await clock.advance(1901);
  expect(batches.slice(2)).toEqual(["0: 2S"]);
  expect(answers.at(-1)).toBe(
    "1 inference request for sequence 1 to model 'm' must specify the START flag on the first request of the sequence",
  );
});

test("a backlogged sequence is rejected when one of its timeouts expires", async () => {
  const { clock, answers, events, send } = scene({ maxBatchSize: 1 });
  void send("1S");
  void send("2S", { rest: { timeout: 500 } });
  void send("3S");
  void send("2");
  await clock.advance(499);
  expect(answers).toEqual(["1S ok"]);
  await clock.advance(500);
  const expired = "timeout of the corresponding sequence has been expired";
  expect(answers).toEqual(["1S ok", `2S ${expired}`, `2 ${expired}`]);
  expect(events).toEqual(["ran 1, empty 0", "rejected", "rejected"]);
});

test("when a client disconnects, its sequence ends when its turn comes", async () => {
  const { clock, batches, answers, events, send, sendAll } = scene({ maxBatchSize: 2, takes: 10 });
  const [queued, waiting] = [new AbortController(), new AbortController()];
  sendAll("1S", "2S");
  await clock.advance(1);
  void send("1", { signal: queued.signal });
  sendAll("1", "3S");
  void send("4S", { signal: waiting.signal });
  sendAll("4", "5S");
  queued.abort();
  waiting.abort();
  await clock.advance(2);
  const cancelled = "[request id: <id_unknown>] Request was cancelled";
  expect(answers).toEqual([`1 ${cancelled}`, `4S ${cancelled}`]);
  sendAll("2E");
  await clock.advance(50);
  expect(batches).toEqual(["0: 1S 2S", "0: 3S 2E", "0: - 5S"]);
  expect(answers.slice(2).toSorted()).toEqual(
    ["1S ok", "2S ok", `1 ${cancelled}`, "3S ok", "2E ok", "5S ok", `4 ${cancelled}`].toSorted(),
  );
  expect(events.filter((event) => event === "cancelled")).toHaveLength(4);
});

test("direct waits for as many rows as minimum_slot_utilization requires, but not for too long", async () => {
  const { clock, batches, sendAll } = scene({
    batching: { direct: { max_queue_delay_microseconds: 100, minimum_slot_utilization: 0.75 } },
  });
  sendAll("1S", "2S");
  await clock.advance(50);
  expect(batches).toEqual([]);
  sendAll("3S");
  await clock.advance(51);
  expect(batches).toEqual(["0: 1S 2S 3S"]);
  sendAll("1");
  await clock.advance(151);
  expect(batches).toHaveLength(1);
  await clock.advance(152);
  expect(batches).toEqual(["0: 1S 2S 3S", "0: 1"]);
});

test("a request with a different shape waits for the next batch", async () => {
  const { clock, batches, send } = scene({});
  const inputs = new Map([["X", tensorOf("INT32", [1, 2], [1, 2])]]);
  void send("1S");
  void send("2S", { inputs });
  void send("3S");
  await clock.advance(1);
  expect(batches).toEqual(["0: 1S - 3S", "0: - 2S"]);
});

test("oldest puts one request from each sequence into a batch, without empty rows", async () => {
  const { clock, batches, sendAll } = scene({
    takes: 10,
    batching: { oldest: { max_candidate_sequences: 3, preferred_batch_size: [2] } },
  });
  sendAll("1S", "2S", "2", "3S", "4S", "1E");
  await clock.advance(100);
  expect(batches).toEqual(["0: 1S 2S", "0: 3S 1E", "0: 2 4S"]);
});

test("oldest waits for a preferred size, but not for too long", async () => {
  const oldest = {
    max_candidate_sequences: 8,
    preferred_batch_size: [4],
    max_queue_delay_microseconds: 100,
  };
  const { clock, batches, sendAll } = scene({ maxBatchSize: 8, batching: { oldest } });
  sendAll("1S", "2S");
  await clock.advance(99);
  expect(batches).toEqual([]);
  await clock.advance(100);
  sendAll("1", "2", "3S", "4S");
  await clock.advance(101);
  expect(batches).toEqual(["0: 1S 2S", "0: 1 2 3S 4S"]);
});

test("sequences are distributed across the instances and stay there", async () => {
  const { clock, batches, sendAll } = scene({ instances: 2, maxBatchSize: 2 });
  sendAll("1S", "2S", "3S");
  await clock.advance(1);
  sendAll("2", "3", "1");
  await clock.advance(2);
  expect(batches).toEqual(["0: 1S 3S", "1: 2S", "1: 2", "0: 1 3"]);
});

test("a model without batching has one slot", async () => {
  const { clock, batches, sendAll } = scene({ maxBatchSize: 0 });
  sendAll("1S", "2S", "1E");
  await clock.advance(1);
  expect(batches).toEqual(["0: 1S", "0: 1E", "0: 2S"]);
});

test("a start request during a sequence restarts it", async () => {
  const { clock, batches, sendAll } = scene({});
  sendAll("1S", "1S", "1E");
  await clock.advance(1);
  expect(batches).toEqual(["0: 1S", "0: 1S", "0: 1E"]);
});

const text = (id: string): Parameters => ({ sequence_id: id, sequence_start: true });
test("requests that do not belong to a sequence are refused, and are not counted", async () => {
  const { clock, events, send } = scene({});
  const refused = (result: ModelResult) => ("error" in result ? result.error.message : "accepted");
  const two = new Map([["X", tensorOf("INT32", [2, 1], [1, 2])]]);
  expect(
    (
      await Promise.all([
        send("0S"),
        send("1", { rest: text("") }),
        send("5"),
        send("6S", { inputs: two }),
        send("1S", { rest: text("seven") }),
      ])
    ).map(refused),
  ).toEqual([
    "inference request to model 'm' must specify a non-zero or non-empty correlation ID",
    "inference request to model 'm' must specify a non-zero or non-empty correlation ID",
    "inference request for sequence 5 to model 'm' must specify the START flag on the first request of the sequence",
    "inference request to model 'm' must specify batch-size 1 due to requirements of sequence batcher",
    "[request id: <id_unknown>] sequence batching control 'ID' data-type is 'BYTES', but model 'm' expects 'UINT64'",
  ]);
  await clock.advance(1);
  expect(events).toEqual([]);
});

test.each([
  ["TYPE_UINT64", ["7 UINT64", "18446744073709551615 UINT64", "BYTES"]],
  ["TYPE_INT64", ["7 INT64", "-1 INT64", "BYTES"]],
  ["TYPE_UINT32", ["7 UINT32", "4294967295 UINT32", "BYTES"]],
  ["TYPE_INT32", ["7 INT32", "-1 INT32", "BYTES"]],
  ["TYPE_STRING", ["UINT64", "UINT64", "seven BYTES"]],
] as const)("a control of type %s accepts or refuses ids of all types", async (data_type, wanted) => {
  const got: string[] = [];
  const { clock, send } = scene({
    batching: {
      control_input: [
        ...controls.filter(({ name }) => name !== "ID"),
        { name: "ID", control: [{ kind: "CONTROL_SEQUENCE_CORRID", data_type }] },
      ],
    },
    run: ({ inputs }) => {
      const tensor = inputs.get("ID") as TensorData;
      const [value] = valuesOf(tensor);
      got.push(`${String(value)} ${tensor.dtype}`);
      return { outputs: new Map() };
    },
  });
  for (const sequence_id of [7n, 2n ** 64n - 1n, "seven"]) {
    const answer = send("1SE", { rest: { sequence_id } });
    await clock.advance(1);
    const result = await answer;
    if ("error" in result) got.push(/data-type is '(\w+)'/.exec(result.error.message)?.[1] ?? "accepted");
  }
  expect(got).toEqual(wanted);
});

test("states are passed from one request of a sequence to the next, but not through an empty row", async () => {
  const state = { input_name: "SUM_IN", output_name: "SUM_OUT", data_type: "TYPE_INT32", dims: [1] } as const;
  const sums: string[] = [];
  const { clock, send, sendAll } = scene({
    maxBatchSize: 2,
    initialStates: new Map([["SUM_IN", tensorOf("INT32", [1, 1], [100])]]),
    batching: { state: [state] },
    run: (request) => {
      const [sum = 0, x = 0] = ["SUM_IN", "X"].map((name) =>
        Number(valuesOf(request.inputs.get(name) as TensorData)[0]),
      );
      sums.push(`${rowText(request)} ${sum} ${request.outputs.join()}`);
      return { outputs: new Map([["SUM_OUT", tensorOf("INT32", [1, 1], [sum + x])]]) };
    },
  });
  sendAll("1S", "2S");
  await clock.advance(1);
  sendAll("2");
  await clock.advance(2);
  sendAll("1E", "2S");
  await clock.advance(3);
  void send("1S", { outputs: ["Y"] });
  await clock.advance(4);
  expect(sums).toEqual([
    "1S 100 SUM_OUT",
    "2S 100 SUM_OUT",
    "- 0 ",
    "2 105 SUM_OUT",
    "1E 105 SUM_OUT",
    "2S 100 SUM_OUT",
    "1S 100 Y,SUM_OUT",
  ]);
});

test("close answers all waiting requests, including those in the backlog, and stops the timers", async () => {
  const { clock, batches, answers, scheduler, sendAll } = scene({
    maxBatchSize: 1,
    takes: 10,
    batching: { max_sequence_idle_microseconds: 3_600_000_000 },
  });
  sendAll("1S", "1", "2S", "3S");
  await clock.advance(1);
  let closed = false;
  void scheduler.close().then(() => {
    closed = true;
  });
  sendAll("1");
  await clock.advance(100);
  expect(batches).toEqual(["0: 1S", "0: 1", "0: 2S", "0: 3S"]);
  expect([closed, scheduler.waiting(), answers[0]]).toEqual([
    true,
    0,
    "1 [request id: <id_unknown>] Server is stopping, scheduler for model has stopped accepting new inference requests",
  ]);
});

/** `TRITYPE_LOAD=long`: 10,000. */
const many = process.env["TRITYPE_LOAD"] === "long" ? 10_000 : 2000;

test.each([
  ["direct", {}],
  ["oldest", { oldest: { max_candidate_sequences: many } }],
])(`${many} sequences run at once, %s`, async (_, strategy) => {
  const { clock, answers, scheduler, sendAll } = scene({ maxBatchSize: 64, batching: strategy });
  const ids = Array.from({ length: many }, (_, i) => String(i + 1));
  sendAll(...ids.map((id) => `${id}S`), ...ids.map((id) => `${id}E`));
  await clock.advance(1);
  expect([answers.filter((answer) => answer.endsWith("ok")).length, scheduler.waiting()]).toEqual([
    2 * many,
    0,
  ]);
});
