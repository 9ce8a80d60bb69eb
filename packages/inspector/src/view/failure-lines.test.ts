import { expect, test } from "vitest";
import { failureLines } from "./failure-lines.ts";

test("the line above a code frame is a position", () => {
  const text = `error[shape/rank]: two
   ┌─ src/pipeline.ts:16:34
 16│   return softmax(7)
   ├─ C:\\work\\other.ts:3:1
   = help: see a.ts:1:2`;
  expect(
    failureLines(text).flatMap(({ shown, place }) => (place === undefined ? [] : [[shown, place]])),
  ).toEqual([
    ["src/pipeline.ts:16:34", { file: "src/pipeline.ts", line: 16, column: 34 }],
    ["C:\\work\\other.ts:3:1", { file: "C:\\work\\other.ts", line: 3, column: 1 }],
  ]);
  expect(
    failureLines(text)
      .map((line) => line.text)
      .join("\n"),
  ).toBe(text);
});
