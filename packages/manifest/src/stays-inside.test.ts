import { expect, test } from "vitest";
import { staysInside } from "./stays-inside.ts";

test.each([
  "config.pbtxt",
  "model_repository/m/1/model.onnx",
  "client/..hidden",
  "a..b/c",
  "m/1/größe 1.bin",
])("%s stays inside its folder", (path) => {
  expect(staysInside(path)).toBe(true);
});

test.each([
  "..",
  "../other",
  "m/../../other",
  "m/..",
  "/etc/passwd",
  "..\\other",
  "m\\..\\..\\other",
  "C:\\other",
  "c:other",
])("%s leads out of its folder", (path) => {
  expect(staysInside(path)).toBe(false);
});
