import * as fc from "fast-check";
import { expect, it } from "vitest";
import { modelConfigArbitrary } from "./config.arbitrary.ts";
import { type FieldPath, locateFields } from "./locate-fields.ts";
import { parseModelConfig } from "./parse-model-config.ts";
import { printModelConfig } from "./print-model-config.ts";

const cases: readonly (readonly [what: string, text: string, path: FieldPath, place: string])[] = [
  ["a field", '# a\nname: "x"\n  max_batch_size: 4', ["max_batch_size"], "3:3"],
  [
    "a field in a message",
    "dynamic_batching {\n  preserve_ordering: true }",
    ["dynamic_batching", "preserve_ordering"],
    "2:3",
  ],
  ["a field in a repeated message", 'input { name: "a" }\ninput { name: "b" }', ["input", 1, "name"], "2:9"],
  ["an item of a list of messages", 'input [ { name: "a" },\n  < name: "b" > ]', ["input", 1], "2:3"],
  ["a repeated message", 'input { name: "a" }\ninput { }', ["input", 1], "2:1"],
  ["an item of a list", "input { dims: [ 1,\n -1, 3 ] }", ["input", 0, "dims", 1], "2:2"],
  ["an item after a list", "input { dims: [ 1, 2 ]\n dims: 3 }", ["input", 0, "dims", 2], "2:8"],
  ["a repeated scalar", "input { dims: 1\n dims: 2 }", ["input", 0, "dims", 1], "2:8"],
  ["the list itself", "input { dims: 1\n dims: 2 }", ["input", 0, "dims"], "1:9"],
  [
    "an entry of a map",
    'parameters { key: "A" value { string_value: "1" } }',
    ["parameters", "A", "string_value"],
    "1:31",
  ],
  [
    "the last of two entries",
    'metric_tags { key: "a" value: "1" }\nmetric_tags { value: "2" key: \'a\' }',
    ["metric_tags", "a"],
    "2:1",
  ],
  ["a key of several strings", 'metric_tags [ { key: "\\141" "b" } ]', ["metric_tags", "ab"], "1:15"],
  ["an empty key", "metric_tags { }", ["metric_tags", ""], "1:1"],
  [
    "a number as a key",
    "dynamic_batching { priority_queue_policy { key: 0x10 value { } } }",
    ["dynamic_batching", "priority_queue_policy", "16"],
    "1:20",
  ],
  [
    "a field after strings with special characters",
    'name: "#{\\"\'" \'b\'; backend: "c"',
    ["backend"],
    "1:20",
  ],
  [
    "a field after numbers",
    "input { dims: [ 0x1F, 010, - 3 ] } sequence_batching { direct { minimum_slot_utilization: 1e-3f } } backend: 'x'",
    ["backend"],
    "1:101",
  ],
  ["a field after a character of two UTF-16 units", 'name: "😀" backend: "b"', ["backend"], "1:12"],
  ["CRLF", 'name: "a"\r\nbackend: "b"\r\n', ["backend"], "2:1"],
  ["the config", "", [], "1:1"],
];

it.each(cases)("finds %s", (_, text, path, place) => {
  const found = locateFields(text)(path);
  expect(found && `${found.line}:${found.column}`).toBe(place);
});

it.each([
  ["a field that does not exist", 'name: "a"', ["backend"]],
  ["an item past the end", "input { dims: 1 }", ["input", 0, "dims", 1]],
  ["a map entry without its key", "parameters { }", ["parameters", "A"]],
] as const)("does not find %s", (_, text, path) => {
  expect(locateFields(text)(path)).toBeUndefined();
});

it("finds the fields before an error", () => {
  const locate = locateFields('name: "a"\ninput { dims: [ 1, }\nbackend: "b"');
  expect(locate(["input", 0, "dims", 0])).toEqual({ line: 2, column: 17 });
  expect(locate(["backend"])).toBeUndefined();
});

/** Every path in a config, with its value. */
function* fieldsOf(value: unknown, path: FieldPath): Generator<FieldPath> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, inner] of entries) yield* fieldsOf(inner, [...path, key]);
}

it("finds every field of any printed config at its correct position", () => {
  fc.assert(
    fc.property(modelConfigArbitrary, (config) => {
      const text = printModelConfig(config);
      const lines = text.split("\n");
      const locate = locateFields(text);
      const places = new Map<string, FieldPath>();
      for (const path of fieldsOf(config, [])) {
        const place = locate(path);
        expect(place, `${JSON.stringify(path)} in\n${text}`).toBeDefined();
        const rest = lines[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1) ?? "";
        const last = path.at(-1);
        // The first entry of a map is at the position of the map, and so is the first message of a list.
        const key = `${place?.line}:${place?.column}`;
        const other = places.get(key);
        if (other) expect(path.slice(0, other.length), key).toEqual(other);
        places.set(key, path);
        if (typeof last === "string" && path.length === 1) expect(rest.startsWith(last), rest).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

it("reads any text to its end", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (noise) => {
      const locate = locateFields(`name: "a"\n${noise}`);
      expect(locate(["name"])).toEqual({ line: 1, column: 1 });
    }),
  );
});

it("agrees with the parser on the end of a text", () => {
  fc.assert(
    fc.property(modelConfigArbitrary, (config) => {
      const text = `${printModelConfig(config)}\nmetric_tags { key: "the end" value: "" }\n`;
      if ("problem" in parseModelConfig(text)) return;
      const last = text.trimEnd().split("\n").length;
      expect(locateFields(text)(["metric_tags", "the end"])?.line).toBe(last);
    }),
  );
});
