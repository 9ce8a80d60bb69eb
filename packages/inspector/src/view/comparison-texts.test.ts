import { tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import type { Content, Recording } from "../api.ts";
import { contentOf } from "../contents.ts";
import { compareContents } from "./compare-contents.ts";
import { compareRecordings } from "./compare-recordings.ts";
import { comparisonSummary, comparisonText, failuresText } from "./comparison-texts.ts";

const number = (value: number): Content => contentOf("x", tensorOf("FP32", [1], [value]));
const missing: Content = { ...number(1), elements: [], missing: "too large" };
const long: Content = contentOf(
  "x",
  tensorOf(
    "FP32",
    [5000],
    Array.from({ length: 5000 }, () => 1),
  ),
);

const recording = (input: Content, output: Content, left = 0): Recording => ({
  calls: [
    {
      id: 1,
      parent: 0,
      model: "a",
      version: "1",
      start: 0,
      end: 1,
      executions: [],
      inputs: [input],
      responses: [[output]],
      responseTimes: [],
      left: 0,
      failed: false,
    },
  ],
  left,
});
const withoutResponses = ({ calls, left }: Recording, missing: number): Recording => ({
  calls: calls.map((call) => ({ ...call, left: missing })),
  left,
});
const partsOf = (one: Recording, other: Recording) =>
  compareRecordings(one, other, {
    names: ["this", "that"],
    compare: (a, b) => compareContents(a, b, 1e-5),
  });

test.each<[string, Recording, Recording, string]>([
  [
    "whole tensors",
    recording(number(1), number(2)),
    recording(number(1), number(2)),
    "All 2 tensors are equal within the tolerance.",
  ],
  [
    "tensors without values",
    recording(missing, missing),
    recording(missing, number(1)),
    "0 of 2 tensors are equal within the tolerance. 2 tensors were not compared: no values were recorded.",
  ],
  [
    "the first elements of a tensor",
    recording(number(1), long),
    recording(number(1), long),
    "1 of 2 tensors is equal within the tolerance. 1 tensor was not compared completely: the recorded part is equal.",
  ],
  [
    "recordings without some calls",
    recording(number(1), number(2), 3),
    recording(number(1), number(2), 1),
    "All 2 tensors are equal within the tolerance. 3 calls were not recorded.",
  ],
  [
    "recordings without some responses",
    withoutResponses(recording(number(1), number(2)), 36),
    withoutResponses(recording(number(1), number(2)), 36),
    "All 2 tensors are equal within the tolerance. 36 responses were not recorded.",
  ],
  [
    "a stream that is longer",
    withoutResponses(recording(number(1), number(2)), 36),
    withoutResponses(recording(number(1), number(2)), 37),
    "First difference: a gave: 37 responses in this, 38 in that. Its inputs are equal. 37 responses were not recorded.",
  ],
  [
    "a difference after equal inputs",
    recording(number(1), number(2)),
    recording(number(1), number(2.5)),
    "First difference: a gave x: the largest difference is 0.5. Its inputs are equal.",
  ],
  [
    "a difference after inputs without values",
    recording(missing, number(2)),
    recording(number(1), number(2.5)),
    "First difference: a gave x: the largest difference is 0.5. Its inputs were not compared completely. Before it, 1 tensor was not compared completely.",
  ],
  [
    "a difference in the inputs",
    recording(number(1), number(2)),
    recording(number(3), number(2)),
    "First difference: a got x: the largest difference is 2.",
  ],
])("the summary of %s", (_, one, other, text) => {
  expect(comparisonSummary(partsOf(one, other), [one, other])).toBe(text);
});

test("the summary of failed requests counts one tensor in the singular, and their errors are compared", () => {
  const failed: Recording = {
    calls: recording(number(1), number(2)).calls.map((call) => ({ ...call, responses: [], failed: true })),
    left: 0,
  };
  expect(comparisonSummary(partsOf(failed, failed), [failed, failed])).toBe(
    "The only tensor is equal within the tolerance.",
  );
  expect(failuresText(["no such word", "no such word"])).toBe("Both requests failed with the same error.");
  expect(failuresText(["no such word", "too long"])).toBe("Both requests failed, with different errors.");
  expect(failuresText(["no such word", undefined])).toBeUndefined();
  expect(failuresText([undefined, undefined])).toBeUndefined();
});

test("the summary names the callers of a step", () => {
  const nested = (output: Content): Recording => {
    const calls = recording(number(1), output).calls.flatMap((inner) => [
      { ...inner, model: "whole", responses: [] },
      { ...inner, model: "flow", responses: [] },
      inner,
    ]);
    return { calls: calls.map((call, index) => ({ ...call, id: index + 1, parent: index })), left: 0 };
  };
  const [one, other] = [nested(number(1)), nested(number(2))];
  expect(comparisonSummary(partsOf(one, other), [one, other])).toBe(
    "First difference: flow → a gave x: the largest difference is 1. Its inputs are equal.",
  );
});

test("a row says what was not compared", () => {
  const texts = (input: Content, output: Content): readonly string[] =>
    partsOf(recording(input, output), recording(number(1), long)).flatMap(({ tensors }) =>
      tensors.map(comparisonText),
    );
  expect(texts(number(1), long)).toEqual(["equal", "equal, but only recorded in part"]);
  expect(texts(missing, long)).toEqual(["not recorded", "equal, but only recorded in part"]);
  expect(texts(number(3), long)).toEqual(["2", "equal, but only recorded in part"]);
});
