import { expect, it } from "vitest";
import { defineErrors, foreignError, PipelineError, reworded } from "./error.ts";

const makeError = defineErrors({
  "file/locked": {
    code: "file/not-writable",
    message: "{path} is locked by process {process}",
    help: "end it, or delete {path}: { {path} }",
  },
  "file/none": { code: "file/not-found", message: "there is no file" },
});

it("fills in the placeholders of an entry", () => {
  const error = makeError("file/locked", { path: "a.lock", process: 7 }, { cause: "EBUSY" });
  expect(error).toMatchObject({
    code: "file/not-writable",
    reason: "file/locked",
    message: "a.lock is locked by process 7",
    help: "end it, or delete a.lock: { a.lock }",
    cause: "EBUSY",
  });
  expect(PipelineError.is(error)).toBe(true);
});

it("does not fill in placeholders inside a value; a given help text replaces the entry's", () => {
  const error = makeError("file/locked", { path: "{process}", process: 7 }, { help: "wait" });
  expect(error.message).toBe("{process} is locked by process 7");
  expect(error.help).toBe("wait");
});

it("an error has neither a help text nor a cause unless they are given", () => {
  const error = makeError("file/none", {});
  expect(error.help).toBeUndefined();
  expect(Object.hasOwn(error, "cause")).toBe(false);
});

it("a missing, misspelt or unknown parameter does not type-check", () => {
  // @ts-expect-error `process` is missing.
  makeError("file/locked", { path: "a" });
  // @ts-expect-error `file/none` has no parameter.
  makeError("file/none", { path: "a" });
  // @ts-expect-error There is no such reason.
  expect(() => makeError("file/gone", {})).toThrow();
});

it("keeps code, reason and help when the message is reworded", () => {
  const error = reworded(makeError("file/locked", { path: "a", process: 1 }), "row 3: locked");
  expect(error).toMatchObject({ code: "file/not-writable", reason: "file/locked", message: "row 3: locked" });
  expect(error.help).toBe("end it, or delete a: { a }");
});

it("uses its code as its reason if the message is from another program", () => {
  expect(foreignError("model/failed", "boom")).toMatchObject({
    code: "model/failed",
    reason: "model/failed",
  });
});
