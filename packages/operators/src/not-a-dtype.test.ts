import { expect, test } from "vitest";
import { notADType } from "./not-a-dtype.ts";

test.each([
  ["fp32", '"fp32" is not a dtype', 'write "FP32" or fp32'],
  ["float32", '"float32" is not a dtype', 'write "FP32" or fp32'],
  ["string", '"string" is not a dtype', 'write "BYTES" or bytes'],
  ["INT46", '"INT46" is not a dtype', undefined],
  ["tensor", '"tensor" is not a dtype', undefined],
  [undefined, "undefined is not a dtype", undefined],
])("%s", (given, message, help) => {
  const { problem } = notADType(given);
  expect(problem.message).toBe(message);
  expect(problem.help).toBe(help);
});
