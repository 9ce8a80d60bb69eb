import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { loadFailure } from "./load-failure.ts";

test("a system without a binary of ONNX Runtime is named", () => {
  let missing: unknown;
  try {
    createRequire(import.meta.url)("./bin/napi-v6/darwin/x64/onnxruntime_binding.node");
  } catch (error) {
    missing = error;
  }
  expect(loadFailure(missing, "darwin-x64")).toMatchObject({
    message:
      "onnxruntime-node has no binary for darwin-x64: it runs on Linux with glibc and on Windows (x64 and arm64), and on macOS with Apple silicon",
    cause: missing,
  });
});

test("any other failure is kept", () => {
  const error = new Error("libonnxruntime.so.1: cannot open shared object file");
  expect(loadFailure(error, "linux-x64")).toBe(error);
});
