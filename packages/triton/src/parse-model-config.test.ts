import { describe, expect, it } from "vitest";
import type { ModelConfig } from "./generated/model-config.ts";
import { modelConfigFromJson } from "./model-config-from-json.ts";
import { modelConfigToJson } from "./model-config-to-json.ts";
import { parseModelConfig } from "./parse-model-config.ts";
import { printModelConfig } from "./print-model-config.ts";

// Every row was tested with Triton 24.10, which accepted the first table and refused the second.
const accepted: readonly (readonly [rule: string, text: string, config: object])[] = [
  ["an empty file", "", {}],
  ["single quotes", "name: 'a'", { name: "a" }],
  ["strings side by side", "name: \"a\" 'b'", { name: "ab" }],
  ["escapes", String.raw`name: "\101\x42\n\"\u00e9"`, { name: 'AB\n"é' }],
  ["UTF-8", 'input { name: "größe" }', { input: [{ name: "größe" }] }],
  ["comments", '# first\nname: "a" # last', { name: "a" }],
  [
    "angle braces",
    "dynamic_batching < preserve_ordering: true >",
    { dynamic_batching: { preserve_ordering: true } },
  ],
  ["a colon before a message", "dynamic_batching: { }", { dynamic_batching: {} }],
  [
    "; and , between fields",
    'name: "a"; max_batch_size: 4, backend: "b"',
    { name: "a", max_batch_size: 4, backend: "b" },
  ],
  ...["true", "True", "t", "1"].map(
    (word) =>
      [
        `${word} for true`,
        `response_cache { enable: ${word} }`,
        { response_cache: { enable: true } },
      ] as const,
  ),
  ...["false", "False", "f", "0"].map(
    (word) =>
      [
        `${word} for false`,
        `response_cache { enable: ${word} }`,
        { response_cache: { enable: false } },
      ] as const,
  ),
  ["one value for a list", "input { dims: 2 }", { input: [{ dims: [2] }] }],
  [
    "a scalar after its default",
    "max_batch_size: 0, max_batch_size: 0x0\nmax_batch_size: 4",
    { max_batch_size: 4 },
  ],
  [
    "a name after an empty name",
    'name: "" \'\'; name: "m" max_batch_size: 1',
    { name: "m", max_batch_size: 1 },
  ],
  [
    "an enum after its first value",
    "optimization { priority: PRIORITY_DEFAULT priority: PRIORITY_MIN }",
    { optimization: { priority: "PRIORITY_MIN" } },
  ],
  ["a repeated list", "input { dims: 2 dims: [ 3, 4 ] }", { input: [{ dims: [2, 3, 4] }] }],
  ["an empty list", "input { dims: [ ] }", { input: [{}] }],
  ["a list of messages", "input [ { }, { optional: true } ]", { input: [{}, { optional: true }] }],
  [
    "a repeated map key: the last wins",
    'parameters { key: "A" value { string_value: "1" } } parameters { key: "A" value { string_value: "2" } }',
    { parameters: { A: { string_value: "2" } } },
  ],
  ["a map as a list", 'metric_tags [ { key: "a" value: "b" } ]', { metric_tags: { a: "b" } }],
  [
    "map entries without key or value",
    'metric_tags { key: "a" } parameters { }',
    { metric_tags: { a: "" }, parameters: { "": {} } },
  ],
  [
    "numbers as map keys",
    "dynamic_batching { priority_queue_policy { key: 0x10 value { max_queue_size: 1 } } }",
    { dynamic_batching: { priority_queue_policy: { "16": { max_queue_size: 1 } } } },
  ],
  [
    "a map key that a JavaScript number cannot represent",
    "dynamic_batching { priority_queue_policy { key: 18446744073709551615 } }",
    { dynamic_batching: { priority_queue_policy: { "18446744073709551615": {} } } },
  ],
  [
    "`__proto__` as a map key",
    'metric_tags { key: "__proto__" value: "b" }',
    JSON.parse('{"metric_tags":{"__proto__":"b"}}'),
  ],
  ["an enum by number", "input { data_type: 11 }", { input: [{ data_type: "TYPE_FP32" }] }],
  ["an enum by a number without a name", "input { data_type: 99 }", { input: [{ data_type: 99 }] }],
  ["hexadecimal and octal", "input { dims: [ 0x10, 010 ] }", { input: [{ dims: [16, 8] }] }],
  [
    "leading zeros",
    "version_policy { specific { versions: 007 } }",
    { version_policy: { specific: { versions: [7] } } },
  ],
  ["a negative zero", "input { dims: -0 }", { input: [{ dims: [0] }] }],
  ["a sign separated from its number", "input { dims: - 1 }", { input: [{ dims: [-1] }] }],
  [
    "the smallest int32",
    "instance_group { count: -2147483648 }",
    { instance_group: [{ count: -2147483648 }] },
  ],
  [
    "an integer and an f suffix for a float",
    "sequence_batching { control_input { control { fp32_false_true: [ 0, 1f, .5, 1e3 ] } } }",
    { sequence_batching: { control_input: [{ control: [{ fp32_false_true: [0, 1, 0.5, 1000] }] }] } },
  ],
  ["an explicit default", "max_batch_size: 0", { max_batch_size: 0 }],
  ["an empty member of a oneof", "version_policy { all { } }", { version_policy: { all: {} } }],
];

const refused: readonly (readonly [rule: string, text: string, line: number, message: RegExp])[] = [
  ["a byte order mark", '\uFEFFname: "a"', 1, /illegal character/],
  ["an unknown field", 'name: "a"\nmax_batch_siz: 4', 2, /unknown field 'max_batch_siz'/],
  ["an unknown nested field", "input [\n  {\n    dim: 4\n  }\n]", 3, /ModelInput: unknown field 'dim'/],
  [
    "an enum without its prefix",
    "input {\n  data_type: FP32\n}",
    2,
    /ModelInput.data_type: enum value expected/,
  ],
  ["an enum in the wrong case", "input {\n  data_type: type_fp32\n}", 2, /enum value expected/],
  ["an enum as a string", 'input {\n  data_type: "TYPE_FP32"\n}', 2, /expected|number/],
  [
    "an enum value with the name of a property of Object.prototype",
    "input {\n  data_type: toString\n}",
    2,
    /enum value expected/,
  ],
  ["a scalar given twice", "max_batch_size: 1\n\nmax_batch_size: 1\n", 3, /max_batch_size: multiple values/],
  ["a default after a scalar", "max_batch_size: 1\nmax_batch_size: 0", 2, /max_batch_size: multiple values/],
  [
    "a scalar given three times",
    "max_batch_size: 0\nmax_batch_size: 1\nmax_batch_size: 0",
    3,
    /multiple values/,
  ],
  ["a message given twice", "dynamic_batching { }\ndynamic_batching { }", 2, /multiple values/],
  ["two schedulers", "dynamic_batching { }\nsequence_batching { }", 2, /scheduling_choice: multiple values/],
  [
    "two version policies",
    "version_policy {\n  all { }\n  latest { }\n}",
    3,
    /policy_choice: multiple values/,
  ],
  ["a comma at the end of a list", "input { dims: [ 1, ] }", 1, /./],
  ["a comma at the end of a list of messages", "input [\n  { },\n]", 3, /./],
  ["// comments", '// a\nname: "a"', 1, /./],
  ["JSON", '{ "name": "a" }', 1, /./],
  ["a template", "max_batch_size: ${size}", 1, /./],
  ["a fraction for an integer", "max_batch_size: 1.0", 1, /integer/],
  ["a string for an integer", 'max_batch_size: "1"', 1, /integer/],
  ["an integer for a string", "name: 1", 1, /expected string/],
  ["int32 overflow", "max_batch_size: 3000000000", 1, /out of range/],
  ["int64 overflow", "input { dims: 9223372036854775808 }", 1, /out of range/],
  ["a negative number for a uint32", "version_policy { latest { num_versions: -1 } }", 1, /unsigned/],
  ["2 for a bool", "response_cache { enable: 2 }", 1, /bool/],
  ["TRUE for a bool", "response_cache { enable: TRUE }", 1, /bool/],
  ["a map value that is not a message", 'parameters { key: "A" value: "b" }', 1, /./],
  ["a map entry with two keys", 'metric_tags {\n  key: "a"\n  key: "b"\n}', 3, /key: multiple values/],
  ["a map entry with two values", 'parameters { key: "A" value { } value { } }', 1, /value: multiple values/],
  ["a list for a single field", "max_batch_size: [ 1 ]", 1, /list value/],
  ["a scalar without a colon", "max_batch_size 1", 1, /expected ':'/],
  ["an unclosed brace", "dynamic_batching {\n", 2, /expected '}'/],
  ["an extra closing brace", 'name: "a"\n}', 2, /./],
  ["an unclosed string", 'name: "a\n', 1, /./],
  ["an unknown escape", 'name: "C:\\Tools"', 1, /unknown escape \\T in a string/],
  ["\\u with too few digits", 'backend: "a"\nname: "D:\\utils"', 2, /four hexadecimal digits/],
  ["\\U beyond its range", String.raw`name: "\U00200000"`, 1, /eight hexadecimal digits/],
  ["\\x without a digit", String.raw`name: "\xg"`, 1, /hexadecimal digit/],
  ["\\X", String.raw`name: "\X41"`, 1, /unknown escape/],
  ["a zero byte in a string", 'backend: "a"\nname: "a\0"', 2, /zero byte/],
  ["a zero byte in a comment", "# a\0b", 1, /zero byte/],
  ["a backslash at the end of a line", 'name: "a\\\n"', 1, /not closed/],
  ["a fault before a fault in a string", 'nam: 1 name: "\\q"', 1, /unknown field/],
  ["two separators", 'name: "a";; backend: "b"', 1, /separator/],
  ["an extension", "[a.b]: 1", 1, /unknown extension 'a.b'/],
  ["a field in brackets", '[inference.ModelConfig.name]: "a"', 1, /unknown extension/],
  ["an open bracket for a name", 'name: "a"\n[\n  max_batch_size: 4', 2, /illegal field name '\['/],
  ["a field name in quotes", '"name": "a"', 1, /illegal field name '"name"'/],
  ["a digit that is not octal", "max_batch_size: 08", 1, /illegal number '08'/],
  ["a number with a unit", "max_batch_size: 4MB", 1, /illegal number '4M'/],
  ["a lone surrogate", 'name: "\ud83d"', 1, /UTF-8/],
];

describe("parseModelConfig", () => {
  it.each(accepted)("accepts %s", (_, text, config) => {
    expect(parseModelConfig(text)).toEqual({ config });
  });

  it.each(refused)("refuses %s", (_, text, line, message) => {
    expect(parseModelConfig(text)).toMatchObject({
      problem: { line, message: expect.stringMatching(message) },
    });
  });

  it.each([
    ['name: "a" max_batch_siz: 4', 11],
    ["input { data_type: FP32 }", 20],
    ["input { data_type: TYPE_FP32\n dims: 1.5 }", 8],
    ["max_batch_size: 3000000000", 17],
    ["max_batch_size: 1 max_batch_size: 1", 19],
    ["dynamic_batching { } sequence_batching { }", 22],
    ['metric_tags { key: "a" key: "b" }', 24],
    ["version_policy { latest { num_versions: -1 } }", 41],
    ["response_cache { enable: 2 }", 26],
    ["max_batch_size 1", 16],
    ["max_batch_size: 1 max_batch_size 1", 19],
    ['metric_tags { key "a" }', 19],
    ["max_batch_size: [ 1 ]", 17],
    ["input { dims: [ 1, 9223372036854775808 ] }", 20],
    ["sequence_batching { direct { minimum_slot_utilization: 0x1 } }", 56],
    ["sequence_batching { direct { minimum_slot_utilization: 1.5.5 } }", 56],
    ['name: "a" "\ud83d"', 11],
    [String.raw`name: "ab\q"`, 10],
    [String.raw`name: "a" 'b\u12'`, 13],
    ['name: "a\0"', 9],
    ["# \0", 3],
    ['backend: "x" name: "a', 20],
    [String.raw`parameters { key:"tok" value { string_value: "C:\Users\anna\tok" } }`, 49],
  ])("finds the column of the fault in %s", (text, column) => {
    expect(parseModelConfig(text)).toMatchObject({ problem: { column } });
  });

  it.each([
    [String.raw`\377`, "\uFFFD"],
    [String.raw`\777\400`, "\uFFFD\0"],
    [String.raw`a\ud800b`, "a\uFFFDb"],
    [String.raw`\ud83d\ude00 \U0001F600 \303\251 \xc3\xa9`, "😀 😀 é é"],
    [String.raw`\U0000d83d\ude00`, "😀"],
    [String.raw`\U00110000 \U001fffff`, String.raw`\U00110000 \U001fffff`],
    [String.raw`\x4g\x412\18\?\'\"`, "\u0004gA2\u00018?'\""],
    ["\u0001\t\r\u007f\u2028", "\u0001\t\r\u007f\u2028"],
  ])("reads the string %s", (inner, name) => {
    expect(parseModelConfig(`name: "${inner}"`)).toEqual({ config: { name } });
  });

  it("keeps versions beyond 2^53 exact, from text and from JSON", () => {
    const text =
      "version_policy { specific { versions: [ 9007199254740993, 3 ] } } input { dims: 9007199254740993 }";
    const specific = (...versions: readonly unknown[]) => ({ version_policy: { specific: { versions } } });
    const exact = specific(9007199254740993n, 3);
    expect(parseModelConfig(text)).toEqual({ config: { ...exact, input: [{ dims: [9007199254740992] }] } });
    expect(modelConfigFromJson(specific("9007199254740993", "3"))).toEqual({ config: exact });
    expect(modelConfigFromJson(specific(9007199254740993n, 3n))).toEqual({ config: exact });
    expect(printModelConfig(exact as ModelConfig)).toContain("[ 9007199254740993, 3 ]");
    expect(modelConfigToJson(exact as ModelConfig)["version_policy"]).toEqual(exact.version_policy);
  });

  it("shows the largest integers with all digits, as the server does", () => {
    const read = parseModelConfig(
      "sequence_batching { max_sequence_idle_microseconds: 18446744073709551615 } input { dims: [ 9223372036854775807, -9223372036854775808 ] } instance_group { secondary_devices { device_id: -9223372036854775808 } }",
    );
    const json = "config" in read ? modelConfigToJson(read.config) : {};
    expect(json).toMatchObject({
      sequence_batching: { max_sequence_idle_microseconds: 18446744073709551615n },
      input: [{ dims: [9223372036854775807n, -9223372036854775808n] }],
      instance_group: [{ secondary_devices: [{ device_id: "-9223372036854775808" }] }],
    });
  });

  it("finds the line of a fault in a long file", () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `metric_tags { key: "${i}" value: "" }`);
    lines[1234] = "max_batch_size: 99999999999";
    expect(parseModelConfig(lines.join("\n"))).toMatchObject({ problem: { line: 1235 } });
  });
});
