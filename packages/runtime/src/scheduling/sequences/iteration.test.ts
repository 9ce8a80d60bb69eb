import { foreignError } from "@tritype/core";
import { expect, test } from "vitest";
import type { ModelRequest, ModelResult } from "../../backend.ts";
import { type Scene, scene } from "./sequence-scene.fixture.ts";

const again: ModelResult = { outputs: new Map(), rescheduled: true };
const done: ModelResult = { outputs: new Map() };

/** An iterative model that runs each request `turns` times; each request specifies its own `turns`. */
const iterative = (turns: number, { batching, run, ...more }: Scene = {}) => {
  const seen = new Map<unknown, number>();
  const turn = (request: ModelRequest): ModelResult => {
    const { sequence_id: id, turns: own = turns } = request.parameters;
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count < Number(own) ? again : done;
  };
  return scene({ ...more, batching: { iterative_sequence: true, ...batching }, run: run ?? turn });
};

test.each([
  ["direct", {}],
  ["oldest", { oldest: { max_candidate_sequences: 4 } }],
])("%s: a request without an id is a sequence until it is released", async (_, batching) => {
  const { clock, batches, events, answers, send } = iterative(3, { batching, takes: 10 });
  void send("");
  await clock.advance(100);
  expect(batches).toEqual(["0: 1S", "0: 1", "0: 1"]);
  expect(answers).toEqual([" ok"]);
  expect(events.filter((event) => !event.startsWith("ran"))).toEqual([
    "again after 10",
    "again after 20",
    "iterated",
  ]);
});

test("sequences share batches, and the next sequence gets the slot of one that has ended", async () => {
  const batching = { oldest: { max_candidate_sequences: 2 } };
  const { clock, batches, answers, send } = iterative(2, { batching, takes: 10 });
  void send("", { rest: { turns: 3 } });
  void send("");
  void send("");
  await clock.advance(100);
  expect(batches).toEqual(["0: 1S 2S", "0: 1 2", "0: 1 3S", "0: 3"]);
  expect(answers).toHaveLength(3);
});

test("direct: a continuing sequence keeps its row in the batch", async () => {
  const { clock, batches, send } = iterative(1, { takes: 10 });
  for (const turns of [1, 3, 2]) void send("", { rest: { turns } });
  await clock.advance(100);
  expect(batches).toEqual(["0: 1S 2S 3S", "0: - 2 3", "0: - 2"]);
});

test("only accepted requests get an ID; a client may choose its own", async () => {
  const { clock, batches, answers, sendAll, send } = iterative(2);
  sendAll("9S", "E");
  await clock.advance(1);
  sendAll("9", "");
  void send("7SE");
  await clock.advance(2);
  expect(batches).toEqual(["0: 9S 1S", "0: 9 1", "0: 2S 7SE", "0: 2"]);
  expect(answers.toSorted()).toEqual([
    " ok",
    "7SE inference request for sequence 7 to model 'm' must specify the START flag on the first request of the sequence",
    "9 inference request for sequence 9 to model 'm' must specify the START flag on the first request of the sequence",
    "9S ok",
    "E ok",
  ]);
});

test("a failure ends the sequence", async () => {
  const error = foreignError("model/failed", "broken");
  const { clock, batches, answers, events, send } = iterative(1, {
    maxBatchSize: 1,
    run: ({ parameters }) => (parameters["sequence_start"] === true ? again : { error, counts: "execution" }),
  });
  void send("");
  void send("");
  await clock.advance(1);
  expect(batches).toEqual(["0: 1S", "0: 1", "0: 2S", "0: 2"]);
  expect(answers).toEqual([" broken", " broken"]);
  expect(events.filter((event) => event === "iterated")).toHaveLength(2);
});

test("a client that disconnects frees its slot after the execution, or when its turn comes", async () => {
  const { clock, batches, answers, events, scheduler, send } = iterative(9, {
    maxBatchSize: 0,
    takes: 10,
  });
  const leaving = new AbortController();
  void send("", { signal: leaving.signal });
  void send("", { rest: { turns: 2 } });
  await clock.advance(15);
  leaving.abort();
  await clock.advance(100);
  expect(batches).toEqual(["0: 1S", "0: 1", "0: 2S", "0: 2"]);
  expect(answers).toEqual([" [request id: <id_unknown>] Request was cancelled", " ok"]);
  expect(events.filter((event) => event === "cancelled" || event === "iterated")).toEqual([
    "cancelled",
    "iterated",
  ]);
  expect(scheduler.waiting()).toBe(0);
});

test("a sequence that is idle for too long ends, even during an execution", async () => {
  const { clock, batches, answers, send } = iterative(2, {
    maxBatchSize: 0,
    takes: 1000,
    batching: { max_sequence_idle_microseconds: 500 },
  });
  void send("");
  await clock.advance(1500);
  expect(batches).toEqual(["0: 1S"]);
  expect(answers).toEqual([
    " inference request for sequence 1 to model 'm' must specify the START flag on the first request of the sequence",
  ]);
  void send("", { rest: { turns: 1 } });
  await clock.advance(3000);
  expect(answers.slice(1)).toEqual([" ok"]);
});

test("close waits until all requests have had their turns", async () => {
  const { clock, batches, answers, scheduler, send } = iterative(3, { maxBatchSize: 1, takes: 10 });
  void send("");
  void send("");
  await clock.advance(5);
  const closed = scheduler.close().then(() => answers.push("closed"));
  await clock.advance(100);
  await closed;
  expect(batches).toEqual(["0: 1S", "0: 1", "0: 1", "0: 2S", "0: 2", "0: 2"]);
  expect(answers).toEqual([" ok", " ok", "closed"]);
});

test("10,000 simultaneous requests get two turns each", async () => {
  const { clock, answers, batches, scheduler, send } = iterative(2, {
    maxBatchSize: 64,
    batching: { oldest: { max_candidate_sequences: 10_000 } },
  });
  for (let i = 0; i < 10_000; i++) void send("");
  for (let time = 1; answers.length < 10_000 && time < 10_000; time++) await clock.advance(time);
  expect([answers.filter((answer) => answer === " ok").length, scheduler.waiting()]).toEqual([10_000, 0]);
  expect(batches.flatMap((batch) => batch.split(" ").slice(1))).toHaveLength(20_000);
});

test("decoupled requests that are rescheduled send their messages in order if the configuration preserves it", async () => {
  const sent: string[] = [];
  const counts = new Map<unknown, number>();
  const run = ({ parameters, reply }: ModelRequest): ModelResult => {
    const { sequence_id: id } = parameters;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    reply?.({ final: count === 3 });
    return count < 3 ? again : done;
  };
  const batching = { oldest: { max_candidate_sequences: 4, preserve_ordering: true } };
  const { clock, answers, send } = iterative(3, { batching, run, takes: 10 });
  for (const name of ["a", "b"])
    void send("", { reply: ({ final }) => void sent.push(final ? `${name}.` : name) });
  await clock.advance(100);
  expect(sent).toEqual(["a", "a", "a.", "b", "b", "b."]);
  expect(answers).toHaveLength(2);
});
