import type { ModelStatus } from "@tritype/runtime";
import { expect, test } from "vitest";
import { refuseUnserved, whyUnserved } from "./unserved.ts";

const ready: ModelStatus = { name: "a", version: "1", state: "READY" };
const broken: ModelStatus = {
  name: "b",
  version: "1",
  state: "UNAVAILABLE",
  reason: "no file",
  help: "add it",
};

test("names the first model that cannot be served, with help", () => {
  expect(() => refuseUnserved([ready])).not.toThrow();
  expect(() => refuseUnserved([ready, broken])).toThrow(
    expect.objectContaining({
      code: "model/unavailable",
      message: "`b` cannot be served: no file",
      help: "add it",
    }),
  );
  expect(() => refuseUnserved([broken], (one) => `left: ${whyUnserved(one, "run")}`)).toThrow(
    "left: `b` cannot be run: no file",
  );
});

test("a model that fails without a reason is reported as such", () => {
  expect(whyUnserved({ name: "b", state: "UNAVAILABLE" })).toBe("`b` cannot be served: reason unknown");
});
