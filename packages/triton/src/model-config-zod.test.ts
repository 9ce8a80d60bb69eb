import * as fc from "fast-check";
import { expect, it } from "vitest";
import { modelConfigArbitrary } from "./config.arbitrary.ts";
import { modelConfigZod } from "./model-config-zod.ts";

it("accepts every config and changes nothing", () => {
  fc.assert(
    fc.property(modelConfigArbitrary, (config) => {
      // zod drops such a key from a record.
      fc.pre(!JSON.stringify(config).includes('"__proto__":'));
      expect(modelConfigZod.parse(config)).toEqual(config);
    }),
  );
});

it.each([
  ["an unknown field", { max_batch_siz: 4 }, /Unrecognized key/],
  ["an enum without its prefix", { input: [{ data_type: "FP32" }] }, /Invalid/],
  ["a fraction for an integer", { max_batch_size: 1.5 }, /expected int32/],
  ["int32 overflow", { max_batch_size: 2 ** 31 }, /expected int32/],
  ["two schedulers", { dynamic_batching: {}, sequence_batching: {} }, /are mutually exclusive/],
  ["a string for a parameter", { parameters: { A: "b" } }, /expected object/],
])("refuses %s", (_, config, message) => {
  const read = modelConfigZod.safeParse(config);
  expect(read.error?.message).toMatch(message);
});

it("accepts an enum as a number without a name, as Triton does", () => {
  expect(modelConfigZod.safeParse({ input: [{ data_type: 99 }] }).success).toBe(true);
});
