import { expect, test } from "vitest";
import { configFields } from "./config-fields.ts";

test("fields are listed by path, and lists become strings", () => {
  expect(
    configFields({
      name: "m",
      max_batch_size: 8,
      input: [{ name: "x" }],
      dynamic_batching: { max_queue_delay_microseconds: 100, preferred_batch_size: [4, 8] },
      sequence_batching: {},
      parameters: {
        tritype_contract: { string_value: "a hash" },
        mode: { string_value: "fast" },
      },
    }),
  ).toEqual({
    max_batch_size: "8",
    "dynamic_batching.max_queue_delay_microseconds": "100",
    "dynamic_batching.preferred_batch_size": "[4,8]",
    sequence_batching: "{}",
    "parameters.mode.string_value": "fast",
  });
});

test("long values are truncated, and still differ", () => {
  const [a = "", b = ""] = ["a", "b"].map(
    (end) => configFields({ platform: `${"x".repeat(500)}${end}` })["platform"],
  );
  expect(a.length).toBeLessThan(150);
  expect(a).not.toBe(b);
});
