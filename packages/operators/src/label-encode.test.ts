import { expect, test } from "vitest";
import { labelEncode } from "./label-encode.ts";

test("a table with 400,000 keys is read in seconds", () => {
  const keys = Array.from({ length: 400_000 }, (_, i) => `key ${i}`);
  const operand = { dtype: "BYTES", dims: ["batch"] } as const;
  const started = performance.now();
  const table = { to: "INT64", keys, values: [...keys.keys()], otherwise: -1 };
  expect(labelEncode.infer([operand], table)).toEqual({
    outputs: { out: { dtype: "INT64", dims: ["batch"] } },
  });
  expect(performance.now() - started).toBeLessThan(5000);
});
