import { expect, test } from "vitest";
import { labelEncode } from "./label-encode.ts";

const infer = (keys: readonly string[]) =>
  labelEncode.infer([{ dtype: "BYTES", dims: ["batch"] }], {
    to: "INT64",
    keys,
    values: [...keys.keys()],
    otherwise: -1,
  });
const fits = { outputs: { out: { dtype: "INT64", dims: ["batch"] } } };

test("a key may not occur twice", () => {
  const problem = { message: "the key a occurs twice" };
  expect(infer(["a", "b", "a"])).toMatchObject({ problem });
});

test("a table may have hundreds of thousands of keys", () => {
  expect(infer(Array.from({ length: 400_000 }, (_, i) => `key ${i}`))).toEqual(fits);
});
