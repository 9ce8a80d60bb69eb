import { encodeUtf8 } from "@tritype/core";
import {
  addFiles,
  all,
  append,
  changeModel,
  clear,
  type Edit,
  nothing,
  each,
  rewrite,
  setVersions,
} from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalEnsemble } from "./legal-ensemble.ts";
import { legalSingle } from "./legal-single.ts";
import { varied } from "./varied.ts";

const unreadable = /failed to read text proto/;
const text = (
  rule: string,
  about: string,
  refused: readonly string[],
  accepted: readonly string[],
): Fault => ({
  rule,
  about,
  on: legalSingle.map(
    clear(
      "dynamic_batching",
      "response_cache",
      "instance_group",
      "metric_tags",
      "parameters",
      "optimization",
      "version_policy",
    ),
  ),
  ...(refused.length > 0 ? { says: unreadable, refused: each(...refused).map(append) } : {}),
  ...(accepted.length > 0 ? { accepted: each(...accepted).map(append) } : {}),
});

const inString = (escape: string): string => `metric_tags { key: "a" value: "${escape}" }`;
const badEscapes = [
  String.raw`C:\Users\anna\tok`,
  String.raw`D:\utils\tok`,
  String.raw`\u12`,
  String.raw`\U0010FFF`,
  String.raw`\U00200000`,
  String.raw`\q`,
  String.raw`\8`,
  String.raw`\xg`,
  String.raw`\X41`,
  String.raw`\é`,
];
const goodEscapes = [
  String.raw`\U00110000`,
  String.raw`\U001fffff`,
  String.raw`\U0001F600`,
  String.raw`\ud83d\ude00`,
  String.raw`\ud800`,
  String.raw`\377`,
  String.raw`\777`,
  String.raw`\xff`,
  String.raw`\x4g`,
  String.raw`\0\u0000`,
  String.raw`\a\b\f\n\r\t\v\?\'\"`,
  String.raw`C:\\Users`,
];

const appendBytes = (before: string, byte: number, after: string): Edit =>
  rewrite((printed) =>
    Uint8Array.of(...encodeUtf8(`${printed}\n${before}`), byte, ...encodeUtf8(`${after}\n`)),
  );

/** Rules 1 to 23: text, names, folders, versions. */
export const textFaults: readonly Fault[] = [
  text(
    "1",
    "no text proto",
    [
      "}",
      "input [",
      "dynamic_batching {",
      "hello",
      'metric_tags { key: "a" value: "b }',
      "input: 3",
      "\u0000",
      "- a: 1",
    ],
    ["", "# only a comment", "\t \r\n"],
  ),
  {
    rule: "1",
    about: "a folder in place of the configuration",
    on: varied(legalSingle),
    costly: true,
    dies: true,
    refused: each(
      all(
        rewrite(() => undefined),
        addFiles({ "config.pbtxt/": "" }),
      ),
    ),
  },
  text(
    "2",
    "unknown field",
    ["max_batchsize: 1", 'Name: "m"', "dynamic_batching { delay: 1 }", 'input [ { title: "x" } ]'],
    ["dynamic_batching { }", "optimization { }"],
  ),
  text(
    "3",
    "unknown identifier of an enum",
    [
      'input [ { name: "X" data_type: FP32 dims: 1 } ]',
      'input [ { name: "X" data_type: type_fp32 dims: 1 } ]',
      "instance_group [ { kind: CPU } ]",
      "optimization { priority: MAX }",
    ],
    ["instance_group [ { kind: KIND_CPU } ]", "optimization { priority: PRIORITY_MAX }"],
  ),
  text(
    "4",
    "enum as a number",
    [],
    [
      'input [ { name: "X" data_type: 11 dims: 1 } ]',
      'input [ { name: "X" data_type: 99 dims: 1 } ]',
      "instance_group [ { kind: 2 } ]",
      "optimization { priority: 7 }",
    ],
  ),
  text(
    "5",
    "given twice",
    [
      'backend: "openvino"',
      "instance_group { count: 1 count: 0 }",
      "dynamic_batching { } dynamic_batching { }",
      "optimization { priority: PRIORITY_MAX priority: PRIORITY_MIN }",
    ],
    [
      "dynamic_batching { }",
      "optimization { priority: PRIORITY_MAX }",
      "optimization { priority: PRIORITY_DEFAULT priority: PRIORITY_MIN }",
      'default_model_filename: "" default_model_filename: "m"',
      "instance_group { count: 0 count: 0x0 count: 1 }",
      "dynamic_batching { preserve_ordering: false preserve_ordering: true }",
    ],
  ),
  text(
    "6",
    "two schedulers",
    [
      "dynamic_batching { } sequence_batching { }",
      "sequence_batching { } ensemble_scheduling { }",
      "version_policy { all { } latest { num_versions: 1 } }",
    ],
    ["dynamic_batching { }", "sequence_batching { }", "version_policy { all { } }"],
  ),
  {
    rule: "128",
    about: "an ensemble that batches",
    on: legalEnsemble,
    says: unreadable,
    refused: each("dynamic_batching { }", "sequence_batching { }").map(append),
    accepted: each("response_cache { enable: false }", "metric_tags { key: 'a' value: 'b' }").map(append),
  },
  text(
    "7",
    "wrong scalars and commas",
    [
      "instance_group [ { count: 1 }, ]",
      "dynamic_batching { preferred_batch_size: [ 1, ] }",
      "// comment",
      "instance_group [ { count: 1.5 } ]",
      'instance_group [ { count: "1" } ]',
      "instance_group [ { count: 3000000000 } ]",
      "dynamic_batching { max_queue_delay_microseconds: -1 }",
      "response_cache_2: 1",
      "dynamic_batching { preserve_ordering: yes }",
      "dynamic_batching { preserve_ordering: 2 }",
      'metric_tags { key: a value: "b" }',
      "instance_group [ { count: 1 } { count: 1 } ]",
      "{ }",
    ],
    [
      "instance_group [ { count: 1 }, { count: 1 } ]",
      "dynamic_batching { max_queue_delay_microseconds: 0x10 }",
      "instance_group [ { count: 010 } ]",
      "instance_group [ ]",
    ],
  ),
  text(
    "8",
    "odd but legal text",
    [],
    [
      "metric_tags { key: 'a' value: 'b' }",
      "instance_group < kind: KIND_CPU >",
      "instance_group { kind: KIND_CPU; count: 1, }",
      "dynamic_batching { preserve_ordering: True }",
      "dynamic_batching { preserve_ordering: t }",
      "dynamic_batching { preserve_ordering: 1 }",
      'input { name: "日本" data_type: TYPE_FP32 dims: 2 dims: 3 }',
      'parameters { key: "a" value { string_value: "b" } } parameters { key: "a" value { string_value: "c" } }',
      'metric_tags { key: "a" "b" value: "c"\n"d" }',
      "metric_tags { }",
      'parameters: { key: "A" }',
    ],
  ),
  text(
    "9",
    "map value of another kind",
    ['parameters { key: "A" value: "b" }', 'metric_tags { key: "A" value { } }', 'metric_tags: "a"'],
    [
      'parameters { key: "A" value: { string_value: "b" } }',
      'parameters { key: "A" value < string_value: "b" > }',
    ],
  ),
  text(
    "7",
    "escapes and control characters in strings and comments",
    [
      ...badEscapes.map(inString),
      'metric_tags { key: "a" value: "b\0" }',
      'metric_tags { key: "a" value: "b\n" }',
      "# a\0b",
      'instance_group { count: "\\q" }',
    ],
    [
      ...goodEscapes.map(inString),
      'metric_tags { key: "a" value: "\u0001\b\t\r\u001b\u007f\u2028" }',
      '# \u0001\b\t\r\u001b\u007f \\q \\u12 "',
      'parameters { key: "\\377" value { string_value: "\\376" } }',
    ],
  ),
  {
    rule: "7",
    about: "bytes that are not UTF-8",
    on: legalSingle.map(clear("metric_tags")),
    accepted: each(appendBytes('metric_tags { key: "a" value: "', 0xff, '" }'), appendBytes("# ", 0xe4, " ")),
    says: unreadable,
    refused: each(appendBytes("", 0xff, ""), appendBytes("instance_group { count: ", 0x80, " }")),
  },
  {
    rule: "10",
    about: "no configuration",
    on: legalSingle,
    says: /failed to open text file|No such file/,
    refused: each(rewrite(() => undefined)),
    accepted: each(nothing),
  },
  {
    rule: "10",
    about: "no configuration, with auto-complete",
    on: varied(legalSingle),
    completed: true,
    costly: true,
    says: /Could not determine backend/,
    refused: each(
      all(
        changeModel((model) => ({ ...model, name: "m" })),
        rewrite(() => undefined),
      ),
    ),
    accepted: each(
      all(
        rewrite(() => undefined),
        setVersions("1/"),
        addFiles({ "1/model.py": "class TritonPythonModel:\n    pass\n" }),
      ),
      all(
        rewrite(() => ""),
        setVersions("1/"),
        addFiles({ "1/model.xml": "" }),
      ),
      all(
        rewrite(() => ""),
        changeModel((model) => ({ ...model, name: "some.openvino" })),
      ),
    ),
  },
  {
    rule: "11",
    about: "a name other than the folder's",
    on: legalSingle,
    says: /unexpected directory name '.*' for model '.*', directory name must equal model name/,
    refused: each("x", "M", "m ", "m\n").map((name) => append(`name: ${JSON.stringify(name)}`)),
    accepted: each(
      nothing,
      append('name: ""'),
      changeModel((model) => ({ ...model, config: { ...model.config, name: model.name } })),
    ),
  },
  {
    rule: "15",
    about: "folders that are no versions",
    on: legalSingle,
    says: /at least one version must be available/,
    refused: each(
      setVersions("01/"),
      all(setVersions(), addFiles({ "abc/": "" })),
      all(setVersions(), addFiles({ "warmup/": "", "initial_state/": "", "configs/": "" })),
    ),
    accepted: each(
      setVersions("1/", "02/", "003/"),
      all(setVersions("1/"), addFiles({ "abc/": "", "warmup/": "" })),
    ),
  },
  {
    rule: "16",
    about: "versions as stoll reads them",
    on: legalSingle.map(clear("version_policy")),
    accepted: each(setVersions("0/"), setVersions("1abc/"), setVersions("3.5/"), setVersions("7 x/")),
  },
  {
    rule: "17",
    about: "a version beyond int64",
    on: legalSingle,
    dies: true,
    refused: each("9223372036854775808/", "99999999999999999999/").map((folder) => setVersions("1/", folder)),
    accepted: each(setVersions("1/", "9223372036854775807/"), setVersions("1/", "2147483648/")),
    costly: true,
  },
  {
    rule: "18",
    about: "no version is left",
    on: legalSingle.map(clear("version_policy")),
    says: /at least one version must be available/,
    refused: each(
      setVersions(),
      all(setVersions(), addFiles({ "1": "a file" })),
      all(setVersions("1/"), append("version_policy { specific { versions: 2 } }")),
      all(setVersions("1/"), append("version_policy { specific { } }")),
      append("version_policy { latest { num_versions: 0 } }"),
      append("version_policy { latest { } }"),
    ),
    accepted: each(
      all(setVersions("2/"), append("version_policy { specific { versions: 2 } }")),
      append("version_policy { latest { num_versions: 1 } }"),
      append("version_policy { latest { num_versions: 9 } }"),
    ),
  },
  {
    rule: "19",
    about: "some specific versions are missing",
    on: legalSingle.map(clear("version_policy")),
    accepted: each(all(setVersions("1/"), append("version_policy { specific { versions: [ 1, 2, 3 ] } }"))),
  },
  {
    rule: "20",
    about: "empty policies",
    on: legalSingle.map(clear("version_policy")),
    accepted: each(append("version_policy { }"), append("version_policy { all { } }")),
  },
];
