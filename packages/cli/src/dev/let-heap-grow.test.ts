import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { letHeapGrow } from "./let-heap-grow.ts";

test("this Node knows the flag, which it would otherwise print to standard error", () => {
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toContain(
    "--heap-growing-percent ",
  );
  expect(letHeapGrow).not.toThrow();
});
