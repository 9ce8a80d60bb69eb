import { type NamedTensors, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { createRecorder } from "./record-request.ts";

const tensors = (...values: readonly number[]): NamedTensors =>
  new Map([["x", tensorOf("FP32", [values.length], values)]]);
const accepted = (model: string, inputs: NamedTensors) => ({ model, version: "1", id: "", inputs });

/** A request to an ensemble with one step, at times that the test chooses. */
const recordOne = () => {
  let clock = 0;
  const recorder = createRecorder({}, () => clock);
  const at = (moment: number, action: () => void): void => {
    clock = moment;
    action();
  };
  const step = recorder.trace.child();
  at(0, () => recorder.trace.accepted(accepted("whole", tensors(1))));
  at(100, () => step.accepted(accepted("step", tensors(1))));
  step.computed({ start: 300, inputEnd: 400, outputStart: 800, end: 900, together: 3 }, false);
  at(900, () => step.responded(tensors(Number.NaN)));
  at(950, () => step.ended(true));
  at(1000, () => recorder.trace.responded(tensors(2)));
  at(1000, () => recorder.trace.ended(true));
  return recorder.recording();
};

test("a recording has every call with its times, its inputs and its responses", () => {
  const { calls } = recordOne();
  expect(calls.map(({ id, parent, model, start, end }) => ({ id, parent, model, start, end }))).toEqual([
    { id: 1, parent: 0, model: "whole", start: 0, end: 1000 },
    { id: 2, parent: 1, model: "step", start: 100, end: 900 },
  ]);
  expect(calls[1]?.executions).toEqual([
    { start: 300, inputEnd: 400, outputStart: 800, end: 900, together: 3 },
  ]);
  expect(calls[1]?.responses[0]?.[0]?.figures).toMatchObject({ nan: 1 });
  expect(calls.map(({ responseTimes }) => responseTimes)).toEqual([[1000], [900]]);
});

test("a step that streams ends with its last message, and so not after its ensemble", () => {
  let clock = 0;
  const { trace, recording } = createRecorder({}, () => clock);
  const step = trace.child();
  trace.accepted(accepted("whole", tensors(1)));
  step.accepted(accepted("words", tensors(1)));
  for (const one of [step, trace]) {
    clock += 10;
    one.responded(tensors(2));
    one.responded("end");
  }
  trace.ended(true);
  clock = 500;
  step.ended(true);
  expect(recording().calls.map(({ model, end }) => [model, end])).toEqual([
    ["whole", 20],
    ["words", 10],
  ]);
});

test("the first 200 responses of a stream have times, even those whose tensors are not kept", () => {
  let clock = 50;
  const { trace, recording } = createRecorder({ responses: 2 }, () => clock);
  trace.accepted(accepted("words", tensors(1)));
  for (clock = 60; clock < 60 + 250 * 10; clock += 10) trace.responded(tensors(1));
  trace.responded("end");
  const [words] = recording().calls;
  expect(words).toMatchObject({ responses: [[{}], [{}]], left: 248, end: 2510 });
  expect(words?.responseTimes).toEqual(Array.from({ length: 200 }, (_, i) => 10 * (i + 1)));
});

test("an error of a stream has its place among the responses, even after those that are not kept", () => {
  let clock = 50;
  const { trace, recording } = createRecorder({ responses: 1 }, () => clock);
  trace.accepted(accepted("words", tensors(1)));
  for (const response of [tensors(1), "error", tensors(2), tensors(3), "error", "end"] as const) {
    clock += 10;
    trace.responded(response);
  }
  expect(recording().calls[0]).toMatchObject({
    failed: true,
    errors: [
      { after: 1, at: 20 },
      { after: 3, at: 50 },
    ],
  });
});

test("a recording keeps the values of a tensor, even if the model overwrites them", () => {
  const recorder = createRecorder();
  const data = new Uint8Array(new Float32Array([1, 2]).buffer);
  recorder.trace.accepted(accepted("m", new Map([["x", { dtype: "FP32", shape: [2], data }]])));
  data.fill(0);
  expect(recorder.recording().calls[0]?.inputs[0]?.elements).toEqual([1, 2]);
});

test("a large tensor between two models counts once", () => {
  const recorder = createRecorder({ bytes: 5 * 2 ** 20 });
  const large = (value: number): NamedTensors => {
    const data = new Uint8Array(new Float32Array(2 ** 19).fill(value).buffer);
    return new Map([["x", { dtype: "FP32", shape: [2 ** 19], data }]]);
  };
  for (const value of [1, 1, 2, 1, 3]) recorder.trace.child().accepted(accepted("m", large(value)));
  const given = recorder.recording().calls.map(({ inputs: [x] }) => x?.elements[0]);
  expect(given).toEqual([1, 1, 2, 1, undefined]);
});

test("tensors, calls and responses are bounded", () => {
  const recorder = createRecorder({ bytes: 10, calls: 1, responses: 2 });
  recorder.trace.accepted(accepted("m", tensors(1, 2)));
  recorder.trace.child().accepted(accepted("n", tensors(1)));
  for (let i = 0; i < 5; i++) recorder.trace.responded(tensors(1));
  recorder.trace.responded("end");
  const { calls, left } = recorder.recording();
  expect(left).toBe(1);
  expect(calls[0]).toMatchObject({ responses: [[{}], [{}]], left: 3, failed: false });
  expect(calls[0]?.responses[0]?.[0]).toEqual({
    name: "x",
    dtype: "FP32",
    shape: [1],
    bytes: 4,
    elements: [],
    missing: "the tensors of one recording may have at most 10 B",
  });
});

test("the first request to a model and an answer of the response cache are marked", () => {
  const { trace, recording } = createRecorder({}, undefined, (model) => model === "new");
  for (const model of ["new", "old", "new"]) {
    const step = trace.child();
    step.accepted(accepted(model, tensors(1)));
    if (model === "old") step.foundInCache?.();
    step.ended(true);
  }
  expect(recording().calls.map(({ first, cached }) => [first, cached])).toEqual([
    [true, undefined],
    [undefined, true],
    [undefined, undefined],
  ]);
});

test("a recording waits for calls that end after their last response, but not for long", async () => {
  const { trace, settled, recording } = createRecorder();
  trace.accepted(accepted("words", tensors(1)));
  trace.responded("end");
  setTimeout(() => {
    trace.computed({ start: 0, inputEnd: 0, outputStart: 1, end: 1, together: 1 }, false);
    trace.ended(true);
  }, 10);
  await settled();
  expect(recording().calls[0]?.executions).toHaveLength(1);
  await settled();
  trace.child().accepted(accepted("endless", tensors(1)));
  await settled();
});
