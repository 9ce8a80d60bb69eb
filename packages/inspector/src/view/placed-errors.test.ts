import { expect, test } from "vitest";
import type { RunEvent } from "../api.ts";
import { placedErrors } from "./placed-errors.ts";

const response: RunEvent = { kind: "response", at: 1, outputs: [] };
const error: RunEvent = { kind: "error", at: 2, message: "no" };

test("an error has the number of responses before it", () => {
  const { shown, left } = placedErrors([error, response, response, error, error, response]);
  expect(shown.map(({ responses }) => responses)).toEqual([0, 2, 2]);
  expect(left).toBe(0);
});

test("at most 200 errors are shown, in a short time", () => {
  const events = Array.from({ length: 100_000 }, () => [response, error]).flat();
  const started = performance.now();
  const { shown, left } = placedErrors(events);
  expect(performance.now() - started).toBeLessThan(5000);
  expect(shown.at(-1)?.responses).toBe(200);
  expect([shown.length, left]).toEqual([200, 99_800]);
});
