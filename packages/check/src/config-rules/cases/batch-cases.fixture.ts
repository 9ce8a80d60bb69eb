import { python, type RuleCase } from "./rule-case.fixture.ts";

const config = (fields: string) => ({ config: `${python} max_batch_size: 8\n${fields}` });
const dynamic = (fields: string) => config(`dynamic_batching { ${fields} }`);
const batchInput = (fields: string) => config(`batch_input { ${fields} }`);
const batchOutput = (fields: string) => config(`batch_output { ${fields} }`);
const element = "kind: BATCH_ELEMENT_COUNT";
const strategy = 'parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "/opt/b.so" } }';

export const batchCases: readonly RuleCase[] = [
  {
    code: "batch/negative-size",
    breaks: { config: `${python} max_batch_size: -1` },
    says: "max_batch_size of `m` is -1",
    at: "max_batch_size",
    passes: [{ config: `${python} max_batch_size: 0` }, config("")],
  },
  {
    code: "batch/preferred-size",
    breaks: dynamic("preferred_batch_size: [ 4, 9 ]"),
    says: "preferred batch size 9 of `m` is not between 1 and max_batch_size, which is 8",
    help: "raise max_batch_size to 9, or prefer at most 8",
    at: "9",
    passes: [dynamic("preferred_batch_size: [ 1, 8 ]"), { config: `${python} dynamic_batching { }` }],
  },
  {
    code: "batch/preferred-size",
    breaks: { config: `${python} dynamic_batching { preferred_batch_size: 4 }` },
    says: "preferred batch size 4 of `m` is not between 1 and max_batch_size, which is 0",
    help: "set max_batch_size, or remove preferred_batch_size",
    at: "4",
    passes: [dynamic("preferred_batch_size: 4")],
  },
  {
    code: "batch/preferred-size",
    breaks: dynamic("preferred_batch_size: 0"),
    says: "preferred batch size 0 of `m` is not between 1 and max_batch_size, which is 8",
    help: "prefer sizes from 1 to 8",
    at: "0",
    passes: [dynamic("")],
  },
  {
    code: "batch/default-priority",
    breaks: dynamic("priority_levels: 2"),
    says: "default_priority_level of `m` is 0, but the levels are 1 to 2",
    at: "dynamic_batching",
    passes: [dynamic("priority_levels: 2 default_priority_level: 2"), dynamic("default_priority_level: 7")],
  },
  {
    code: "batch/default-priority",
    breaks: dynamic("priority_levels: 2 default_priority_level: 3"),
    says: "default_priority_level of `m` is 3, but the levels are 1 to 2",
    at: "default_priority_level",
    passes: [dynamic("priority_levels: 1 default_priority_level: 1")],
  },
  {
    code: "batch/priority-policy",
    breaks: dynamic(
      "priority_levels: 2 default_priority_level: 1 priority_queue_policy { key: 3 value { } }",
    ),
    says: "a queue policy of `m` is for priority 3, but the levels are 1 to 2",
    at: "priority_queue_policy",
    passes: [
      dynamic("priority_levels: 2 default_priority_level: 1 priority_queue_policy { key: 2 value { } }"),
      dynamic("priority_queue_policy { key: 3 value { } }"),
    ],
  },
  {
    code: "batch/ordered-priorities",
    breaks: dynamic("preserve_ordering: true priority_levels: 2 default_priority_level: 1"),
    says: "`m` preserves the order of requests and has 2 priority levels",
    at: "priority_levels",
    passes: [
      dynamic("preserve_ordering: true priority_levels: 1 default_priority_level: 1"),
      dynamic("priority_levels: 2 default_priority_level: 1"),
    ],
  },
  {
    code: "batch/ordered-delay",
    breaks: dynamic(
      "preserve_ordering: true default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 1 }",
    ),
    says: "`m` preserves the order of requests and delays those that time out",
    at: "timeout_action",
    passes: [
      dynamic("preserve_ordering: true default_queue_policy { timeout_action: DELAY }"),
      dynamic("preserve_ordering: true default_queue_policy { default_timeout_microseconds: 1 }"),
      dynamic("default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 1 }"),
    ],
  },
  {
    code: "batch/ordered-delay",
    breaks: dynamic(
      "preserve_ordering: true priority_queue_policy { key: 1 value { timeout_action: DELAY default_timeout_microseconds: 1 } }",
    ),
    says: "`m` preserves the order of requests and delays those that time out",
    at: "timeout_action",
    passes: [
      dynamic("preserve_ordering: true priority_queue_policy { key: 1 value { timeout_action: DELAY } }"),
    ],
  },
  {
    code: "batch/unknown-kind",
    breaks: batchInput('kind: 99 data_type: TYPE_FP32 source_input: "X" target_name: "C"'),
    says: "kind 99 of a `batch_input` of `m` does not exist",
    at: "kind",
    passes: [batchInput(`kind: 1 data_type: TYPE_FP32 source_input: "X" target_name: "C"`)],
  },
  {
    code: "batch/source-count",
    breaks: batchInput(`${element} data_type: TYPE_FP32 source_input: [ "X", "X" ] target_name: "C"`),
    says: "a `batch_input` of `m` has 2 source inputs, not 1",
    at: "source_input",
    passes: [batchInput(`${element} data_type: TYPE_FP32 source_input: "X"`)],
  },
  {
    code: "batch/source-count",
    breaks: batchOutput('target_name: "Y"'),
    says: "a `batch_output` of `m` has 0 source inputs, not 1",
    at: "batch_output",
    passes: [batchOutput('target_name: "Y" source_input: "X"')],
  },
  {
    code: "batch/input-datatype",
    breaks: batchInput(`${element} data_type: TYPE_INT64 source_input: "X" target_name: "C"`),
    says: "a `batch_input` of `m` has datatype TYPE_INT64",
    at: "data_type",
    passes: [batchInput(`${element} data_type: TYPE_INT32 source_input: "X" target_name: "C"`)],
  },
  {
    code: "batch/unknown-tensor",
    breaks: batchInput(`${element} data_type: TYPE_FP32 source_input: "x" target_name: "C"`),
    says: "`x` in a `batch_input` of `m` is not an input",
    at: '"x"',
    passes: [batchInput(`${element} data_type: TYPE_FP32 source_input: "X" target_name: "nowhere"`)],
  },
  {
    code: "batch/unknown-tensor",
    breaks: batchOutput('source_input: "X" target_name: [ "Y", "Z" ]'),
    says: "`Z` in a `batch_output` of `m` is not an output",
    at: '"Z"',
    passes: [batchOutput('source_input: "X" target_name: "Y"')],
  },
  {
    code: "batch/target-twice",
    breaks: batchOutput('source_input: "X" target_name: [ "Y", "Y" ]'),
    says: "a `batch_output` of `m` has target `Y` twice",
    at: '"Y" ]',
    passes: [
      config(
        'batch_output [ { source_input: "X" target_name: "Y" }, { source_input: "X" target_name: "Y" } ]',
      ),
    ],
  },
  {
    code: "batch/output-without-target",
    breaks: batchOutput('source_input: "X"'),
    says: "a `batch_output` of `m` has no `target_name`, which crashes the server",
    at: "batch_output",
    passes: [batchOutput('source_input: "X" target_name: "Y"')],
  },
  {
    code: "batch/strategy-with-sequences",
    breaks: config(`${strategy} sequence_batching { }`),
    says: "`m` has a batching library and sequence_batching",
    at: "parameters",
    passes: [config(`${strategy} dynamic_batching { }`), config("sequence_batching { }")],
  },
  {
    code: "batch/empty-strategy",
    breaks: config('parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { } }'),
    says: "the batching library of `m` has an empty path",
    at: "parameters",
    passes: [
      config(strategy),
      { config: 'platform: "ensemble" parameters { key: "TRITON_BATCH_STRATEGY_PATH" }' },
    ],
  },
];
