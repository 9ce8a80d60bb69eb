import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import pc from "picocolors";
import { expect, test } from "vitest";
import { describeError } from "./describe-error.ts";

test("a full disk is not reported as a bug", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device"), {
    code: "ENOSPC",
    path: "/t/warmup/model.onnx",
  });
  expect(
    describeError(error, pc.createColors(false), "0.1.0"),
  ).toBe(`error[file/not-writable]: cannot write to /t/warmup/model.onnx: no space is left on the disk (ENOSPC)
  = help: make room there; for temporary files, you can set TMPDIR to another folder`);
});

test("a folder for temporary files that does not exist is not a bug in tritype", () => {
  const error = (() => {
    try {
      return mkdtempSync("/nonexistent/tritype-");
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(describeError(error, pc.createColors(false), "0.1.0")).toBe(
    `error[file/not-writable]: cannot write to ${tmpdir()}: there is no such folder (ENOENT)
  = help: set TMPDIR to a folder that you can write to`,
  );
});
