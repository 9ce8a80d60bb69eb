import { expect, it } from "vitest";
import { inOptionTerms } from "./option-terms.ts";

it.each([
  ["remove `max_queue_delay_microseconds` from all members", "remove `maxQueueDelay` from all members"],
  ["set max_batch_size, or remove preferred_batch_size.", "set maxBatchSize, or remove preferredBatchSize."],
  ["write `kind: KIND_AUTO`, which uses GPUs", 'write `kind: "auto"`, which uses GPUs'],
  ["write KIND_CPU or KIND_GPU", 'write "cpu" or "gpu"'],
  ["write `timeout_action: REJECT`", 'write `timeoutAction: "reject"`'],
  ["write `data_type: TYPE_UINT64`", 'write `dataType: "UINT64"`'],
  ["declared TYPE_STRING, but returns TYPE_FP32", "declared BYTES, but returns FP32"],
  ["CONTROL_SEQUENCE_CORRID of `m`", '"corrid" of `m`'],
  ["`latest { }` has num_versions 0", "`latest: {}` has numVersions 0"],
  ["set `allow_ragged_batch: true`", "set `allowRaggedBatch: true`"],
  ["a small max_inflight_requests", "a small maxInflightRequests"],
])("%s → %s", (pbtxt, option) => {
  expect(inOptionTerms(pbtxt)).toBe(option);
});

it.each([
  "the parameter `intra_op_thread_count`",
  'read `["string_value"]` of the parameter first',
  'paths from `args["model_version"]`',
  "write it in `default_model_filename`",
  "map it in `input_map`",
  "set `model.ir_version = 8`",
])("leaves other words unchanged: %s", (text) => {
  expect(inOptionTerms(text)).toBe(text);
});

it("leaves the author's names unchanged", () => {
  expect(inOptionTerms("`batch_size` needs `max_batch_size`", new Set(["batch_size"]))).toBe(
    "`batch_size` needs `maxBatchSize`",
  );
});
