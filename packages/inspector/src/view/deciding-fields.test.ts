import { expect, test } from "vitest";
import { decidingFields } from "./deciding-fields.ts";

const instances = ["1 × CPU"];

test("a field that the file sets has its line, and any other field its default value", () => {
  const fields = {
    instance_group: "[…]",
    max_batch_size: "8",
    "dynamic_batching.preferred_batch_size": "[4,8]",
  };
  const lines = { max_batch_size: 3, "dynamic_batching.preferred_batch_size": 7 };
  expect(decidingFields({ fields, instances }, lines)).toEqual([
    { path: "instance_group", value: "1 × CPU", set: false },
    { path: "max_batch_size", value: "8", set: true, line: 3 },
    { path: "dynamic_batching.preferred_batch_size", value: "[4,8]", set: true, line: 7 },
    { path: "dynamic_batching.max_queue_delay_microseconds", value: "0", set: false },
  ]);
});

test("a server that reports the values has no lines", () => {
  expect(decidingFields({ fields: { instance_group: "[…]" }, instances }, undefined)).toEqual([
    { path: "instance_group", value: "1 × CPU", set: true },
    { path: "max_batch_size", value: "0", set: false },
    { path: "dynamic_batching", value: "requests are not combined", set: false },
  ]);
});

test("a model with sequences has no dynamic batching", () => {
  const paths = decidingFields({ fields: { sequence_batching: "{}" }, instances: [] }, {}).map(
    ({ path, value }) => `${path} ${value}`,
  );
  expect(paths).toEqual(["instance_group the server decides", "max_batch_size 0"]);
});
