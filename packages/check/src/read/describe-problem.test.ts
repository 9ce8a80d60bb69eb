import { defaultRelease } from "@tritype/triton";
import { expect, it } from "vitest";
import { checkConfigText } from "./check-repository.ts";

const helpsOf = (text: string): readonly string[] =>
  checkConfigText(text, { file: "x.pbtxt" }, { release: defaultRelease }).diagnostics.flatMap(
    ({ code, help, labels }) =>
      code.startsWith("config/")
        ? [`${labels[0]?.span.line}:${labels[0]?.span.column} ${help ?? "no help"}`]
        : [],
  );

it.each([
  ["TYPE_FLOAT32", "TYPE_FP32"],
  ["TYPE_FLOAT", "TYPE_FP32"],
  ["float32", "TYPE_FP32"],
  ["FP32", "TYPE_FP32"],
  ["FLOAT", "TYPE_FP32"],
  ["TYPE_F32", "TYPE_FP32"],
  ["TYPE_FLOT32", "TYPE_FP32"],
  ["torch.float32", "TYPE_FP32"],
  ["TYPE_LONG", "TYPE_INT64"],
  ["np.int64", "TYPE_INT64"],
  ["TYPE_DOUBLE", "TYPE_FP64"],
  ["TYPE_HALF", "TYPE_FP16"],
  ["FLOAT16", "TYPE_FP16"],
  ["TYPE_BFLOAT16", "TYPE_BF16"],
  ["TYPE_BYTES", "TYPE_STRING"],
  ["BYTES", "TYPE_STRING"],
  ["STRING", "TYPE_STRING"],
  ["INT", "TYPE_INT32"],
  ["TYPE_INT", "TYPE_INT32"],
  ["BOOLEAN", "TYPE_BOOL"],
  ["type_fp32", "TYPE_FP32"],
])("interprets datatype %s as %s", (written, meant) => {
  expect(helpsOf(`input { data_type: ${written} }`)).toEqual([`1:20 did you mean \`${meant}\`?`]);
});

it("lists the datatypes of a tensor", () => {
  expect(helpsOf("input { data_type: QUUX }")).toEqual([
    "1:20 write one of TYPE_BOOL, TYPE_UINT8, TYPE_UINT16, TYPE_UINT32, TYPE_UINT64, TYPE_INT8, TYPE_INT16, TYPE_INT32, TYPE_INT64, TYPE_FP16, TYPE_FP32, TYPE_FP64, TYPE_STRING, TYPE_BF16",
  ]);
});

it("recognizes the kinds of instance groups by their last word", () => {
  expect(helpsOf("instance_group { kind: GPU }")).toEqual(["1:24 did you mean `KIND_GPU`?"]);
});

it.each([
  ["max_batch: 4", "did you mean `max_batch_size`?"],
  ["max_batchsize: 4", "did you mean `max_batch_size`?"],
  ["warmup { }", "did you mean `model_warmup`?"],
  ["inputs { }", "did you mean `input`?"],
  ["outputs [", "did you mean `output`?"],
  ["batching { }", "did you mean `dynamic_batching`?"],
  ["instances: 2", "did you mean `instance_group`?"],
  ["count: 2", "`count` belongs in `instance_group` or `model_warmup`"],
  ["decoupled: true", "`decoupled` belongs in `model_transaction_policy`"],
  ["preferred_batch_size: 4", "`preferred_batch_size` belongs in `dynamic_batching`"],
  [
    "cpu_execution_accelerator { }",
    "`cpu_execution_accelerator` belongs in `optimization.execution_accelerators`",
  ],
  [
    "max_queue_delay: 4",
    "did you mean `max_queue_delay_microseconds` in `dynamic_batching`? 1 ms is 1000 µs",
  ],
  ["foo: 4", "no help"],
])("suggests what field `%s` at the top level may mean", (text, help) => {
  expect(helpsOf(text)).toEqual([`1:1 ${help}`]);
});

it.each([
  ["input", "type", "did you mean `data_type`?"],
  ["input", "datatype", "did you mean `data_type`?"],
  ["input", "shape", "did you mean `dims`?"],
  ["instance_group", "type", "did you mean `kind`?"],
  ["instance_group", "instances", "did you mean `count`?"],
  ["dynamic_batching", "max_queue_delay_ms", "did you mean `max_queue_delay_microseconds`? 1 ms is 1000 µs"],
  [
    "dynamic_batching",
    "max_batch_size",
    "`max_batch_size` belongs at the top of the configuration; is a `}` missing before it?",
  ],
  [
    "dynamic_batching",
    "input",
    "`input` belongs at the top of the configuration; is a `}` missing before it?",
  ],
  ["dynamic_batching", "warmup", "did you mean `model_warmup` at the top of the configuration?"],
  ["metric_tags", "kei", "did you mean `key`?"],
  ["parameters", "string_value", "write `value { string_value: … }`"],
])("suggests the intended name in %s for `%s`", (outer, field, help) => {
  expect(helpsOf(`${outer} { ${field}: 1 }`)).toEqual([`1:${outer.length + 4} ${help}`]);
});

it("suggests fields of a step", () => {
  expect(helpsOf("ensemble_scheduling { step { inputs { } output { } model: 1 } }")).toEqual([
    "1:30 did you mean `input_map`?",
    "1:41 did you mean `output_map`?",
    "1:52 did you mean `model_name`?",
  ]);
});

const colon = "protobuf text format has `:` between a name and its value";
const quotes = 'write straight quotes, `"`';
const conflict = "git left its conflict markers here: resolve the merge";

it.each([
  ['name = "n"', `1:6 ${colon}`],
  ["max_batch_size=4", `1:1 ${colon}`],
  ["max_batch_size 4", `1:16 ${colon}`],
  ["dynamic_batching = { }", `1:18 ${colon}`],
  ['input [ { name="X" } ]', `1:11 ${colon}`],
  ["max_batch_size", "1:15 write `:` and a value after the name"],
  ["name:", "1:6 the value is missing"],
  ['name:\nbackend: "x"', "2:1 the value before this is missing"],
  ["input {\n dims: [ 1, ]\n}", "2:11 remove the comma before `]`"],
  ["input {\n dims: [ 1, # one,\n\n ]\n}", "2:11 remove the comma before `]`"],
  ['input [\n { name: "X" },\n]', "2:15 remove the comma before `]`"],
  ["input { dims: [ 1,, 2 ] }", "1:19 one comma is enough"],
  ['name: "a",, backend: "b"', "1:11 one comma is enough"],
  ["input { dims: [ , 2 ] }", "1:17 remove the comma: there is nothing before it"],
  ["input { dims: [ 1 2 ] }", "1:19 write `,` between the items of a list"],
  ["input [ { }; { } ]", "1:12 write `,` between the items of a list"],
  [
    'input {\n name: "[" # [\n dims: [ 1\n data_type: TYPE_FP32 }',
    "4:2 the `[` of line 3 is not closed: write `]` after the list's last item",
  ],
  ["input { dims: [ 1 }", "1:19 the `[` of line 1 is not closed: write `]` before this `}`"],
  ['input [ { name: "X" ]', "1:21 the `{` of line 1 is not closed: write `}` before this `]`"],
  ["input [", "1:8 the text ends, and the `[` of line 1 is not closed: write `]`"],
  ["dynamic_batching {\n\n# end", "3:6 the text ends, and the `{` of line 1 is not closed: write `}`"],
  ['name: "a"\n}', "2:1 no bracket is open at this point: remove this `}`, or an extra one before it"],
  ["name: “n”", `1:7 ${quotes}`],
  ['name: "n”', `1:7 ${quotes}`],
  ["name: ‘n’", `1:7 ${quotes}`],
  ["name: \"n'", "1:7 end the string with the quote that it begins with"],
  ["backend: python", '1:10 put it in quotes: `"python"`'],
  ["name: /models/my-model", '1:7 put it in quotes: `"/models/my-model"`'],
  ['"name": "x"', "1:1 write field names without quotes"],
  ["input { optional: yes }", "1:19 write `true` or `false`"],
  ['<<<<<<< HEAD\nname: "a"\n=======\nname: "b"\n>>>>>>> x', `1:1 ${conflict}`],
  ['name: "a"\n=======\nbackend: "b"', `2:1 ${conflict}`],
  ["input { dims: [ 1,\n>>>>>>> x\n 2 ] }", `2:1 ${conflict}`],
])("suggests a fix for %j", (text, help) => {
  expect(helpsOf(text)).toEqual([help]);
});
