import { type NamedTensors, tensorOf } from "@tritype/core";
import { createRecorder } from "@tritype/inspector";
import pc from "picocolors";
import { expect, test } from "vitest";
import { traceLines } from "./trace-lines.ts";

const tensors = (...values: readonly number[]): NamedTensors =>
  new Map([["x", tensorOf("FP32", [values.length], values)]]);
const accepted = (model: string, inputs: NamedTensors) => ({ model, version: "1", id: "", inputs });
const colors = pc.createColors(false);

/** A request to an ensemble with one step, at the times that the test specifies. */
const recordOne = () => {
  let clock = 0;
  const { trace, recording } = createRecorder({}, () => clock);
  const step = trace.child();
  trace.accepted(accepted("whole", tensors(1)));
  clock = 100;
  step.accepted(accepted("step", tensors(1)));
  step.computed({ start: 300, inputEnd: 400, outputStart: 800, end: 900, together: 3 }, false);
  clock = 900;
  step.responded(tensors(Number.NaN));
  clock = 950;
  step.ended(true);
  clock = 1000;
  trace.responded(tensors(2));
  trace.ended(true);
  return recording();
};

test("the terminal shows a recording", () => {
  expect(traceLines(recordOne(), colors).join("\n")).toBe(
    [
      "                                              total    queue    input  compute   output",
      "whole   ────────────────────────────────    1.00 ms",
      "  step     ······▒▒▒█████████████▒▒▒▒        800 µs   200 µs   100 µs   400 µs   100 µs",
      "",
      "whole",
      "  got  x FP32[1]  [1]",
      "  gave x FP32[1]  [2]",
      "",
      "step",
      "  got  x FP32[1]  [1]",
      "  gave x FP32[1]  [NaN]  1 not finite",
    ].join("\n"),
  );
});

test("several calls to one model are numbered", () => {
  let clock = 0;
  const { trace, recording } = createRecorder({}, () => clock);
  trace.accepted(accepted("read", tensors(1)));
  for (clock = 100; clock < 400; clock += 100) {
    const step = trace.child();
    step.accepted(accepted("recognize", tensors(clock)));
    step.ended(true);
  }
  trace.ended(true);
  const lines = traceLines(recording(), colors);
  expect(lines.slice(1, 5).map((line) => line.slice(0, 18).trimEnd())).toEqual([
    "read",
    "  recognize 1 of 3",
    "  recognize 2 of 3",
    "  recognize 3 of 3",
  ]);
  expect(lines).toContain("recognize 2 of 3");
});

/** The lines about a stream with a response or an error every millisecond, without its input. */
const linesOfStream = (responses: readonly (number | "error")[], limit: number): readonly string[] => {
  let clock = 500;
  const { trace, recording } = createRecorder({ responses: limit }, () => clock);
  trace.accepted(accepted("words", tensors(1)));
  for (const response of responses) {
    clock += 1000;
    trace.responded(response === "error" ? response : tensors(response));
  }
  const lines = traceLines(recording(), colors);
  return lines.slice(lines.indexOf("") + 1).filter((line) => !line.startsWith("  got"));
};

test("the responses of a stream have times, and its errors appear between them", () => {
  expect(linesOfStream([1, "error", 2], 64)).toEqual([
    "words failed after response 1",
    "  response 1 after 1.00 ms",
    "  gave x FP32[1]  [1]",
    "  error after response 1 (2.00 ms)",
    "  response 2 after 3.00 ms",
    "  gave x FP32[1]  [2]",
  ]);
  expect(linesOfStream(["error"], 64)).toEqual(["words failed"]);
  expect(linesOfStream([1], 64)).toEqual(["words", "  gave x FP32[1]  [1]"]);
});

test("responses that are not recorded are counted", () => {
  expect(linesOfStream([2, 2, 2, "error"], 1)).toEqual([
    "words failed after response 3",
    "  response 1 after 1.00 ms",
    "  gave x FP32[1]  [2]",
    "  2 more responses are not recorded, the last after 3.00 ms",
    "  error after response 3 (4.00 ms)",
  ]);
  const many = linesOfStream(
    Array.from({ length: 300 }, () => 2),
    1,
  );
  expect(many.at(-1)).toBe("  299 more responses are not recorded");
});

test("names and texts cannot change the terminal", () => {
  const { trace, recording } = createRecorder();
  trace.accepted(accepted("m\u001B[2J\u202E", new Map([["x", tensorOf("BYTES", [1], ["a\u009Bb\u001B"])]])));
  const text = traceLines(recording(), colors).join("\n");
  expect(text).toContain("m␛[2J\uFFFD");
  expect(text).toContain('["a\uFFFDb\\u001b"]');
});
