import { expect, it } from "vitest";
import { configMessage } from "./config-messages.ts";
import { newerFields, newFields } from "./new-fields.ts";

const config = {
  input: [{ name: "a" }, { name: "b", is_non_linear_format_io: true }],
  model_metrics: {},
  ensemble_scheduling: { max_inflight_requests: 1 },
};

it.each([
  [
    "24.07",
    ["input.1.is_non_linear_format_io", "model_metrics", "ensemble_scheduling.max_inflight_requests"],
  ],
  ["24.10", ["model_metrics", "ensemble_scheduling.max_inflight_requests"]],
  ["25.11", []],
])("%s does not know %j", (container, paths) => {
  expect(newerFields(config, container).map(({ path }) => path.join("."))).toEqual(paths);
});

it("names existing fields", () => {
  for (const name of newFields.keys()) {
    const [message = "", field] = name.split(".");
    expect(configMessage(message)?.fields).toContain(field);
  }
});
