import type { ModelEnsemblingStep } from "@tritype/triton";
import * as fc from "fast-check";
import {
  all,
  changeConfig,
  clear,
  type Edit,
  nothing,
  each,
  set,
  setInput,
  setOutput,
  setVersions,
} from "./draft.ts";
import { addModel, changeSteps, member, memberType, omitInStep, step, without } from "./ensemble-edits.ts";
import type { Fault } from "./fault.ts";
import { legalChain, legalEnsemble } from "./legal-ensemble.ts";
import { legalSingle, plainModel } from "./legal-single.ts";

const flat = legalChain.filter((draft) => draft.at(-1)?.name === "pipe");
/** With the same type everywhere, so that a change is the only difference. */
const typed = flat.map(
  all(
    member("a", {
      input: [{ name: "I", data_type: "TYPE_FP32", dims: [2, 3] }],
      output: [{ name: "O", data_type: "TYPE_FP32", dims: [2, 3] }],
    }),
    member("b", {
      input: [{ name: "I", data_type: "TYPE_FP32", dims: [2, 3] }],
      output: [{ name: "O", data_type: "TYPE_FP32", dims: [2, 3] }],
    }),
    set({
      input: [{ name: "I", data_type: "TYPE_FP32", dims: [2, 3] }],
      output: [{ name: "O", data_type: "TYPE_FP32", dims: [2, 3] }],
    }),
  ),
);
const batched = typed.map(
  all(member("a", { max_batch_size: 4 }), member("b", { max_batch_size: 4 }), set({ max_batch_size: 4 })),
);
const decoupled = { model_transaction_policy: { decoupled: true } };
const joined: ModelEnsemblingStep = {
  model_name: "j",
  model_version: -1,
  input_map: { I0: "O2", I1: "I" },
  output_map: { O: "end" },
};
const joining: Edit = (draft) => {
  const io = { data_type: "TYPE_FP32" as const, dims: [2, 3] };
  const j = plainModel("j", {
    backend: "openvino",
    input: [
      { name: "I0", ...io },
      { name: "I1", ...io },
    ],
    output: [{ name: "O", ...io }],
    max_batch_size: 4,
  });
  return all(
    changeSteps((steps) => [
      ...steps.map((one, at) => (at === 1 ? { ...one, output_map: { O: "O2" } } : one)),
      joined,
    ]),
    set({ output: [{ name: "end", ...io }] }),
  )([j, ...draft]);
};

/** Rules 101 to 131: ensembles. */
export const ensembleFaults: readonly Fault[] = [
  {
    rule: "101",
    about: "steps elsewhere than in an ensemble",
    on: legalEnsemble,
    says: /ensemble scheduling (cannot|must) be set/,
    refused: each(
      set({ platform: "tensorrt_plan" }),
      clear("ensemble_scheduling"),
      all(clear("ensemble_scheduling"), set({ dynamic_batching: {} })),
      all(clear("platform"), set({ backend: "openvino" })),
    ),
    accepted: each(nothing),
  },
  {
    rule: "102",
    about: "instances of an ensemble",
    on: legalEnsemble,
    says: /instance group should not be specified for ensemble/,
    refused: each(set({ instance_group: [{}] }), set({ instance_group: [{ kind: "KIND_CPU", count: 1 }] })),
    accepted: each(set({ instance_group: [] })),
  },
  {
    rule: "103",
    about: "optimization of an ensemble",
    on: legalEnsemble,
    says: /optimization should not be specified for ensemble/,
    refused: each(set({ optimization: {} }), set({ optimization: { priority: "PRIORITY_MAX" } })),
    accepted: each(set({ metric_tags: { a: "b" } })),
  },
  {
    rule: "104",
    about: "warmup of an ensemble",
    on: legalEnsemble,
    says: /model_warmup can not be specified for ensemble/,
    refused: each(set({ model_warmup: [{}] }), set({ model_warmup: [{ name: "w", batch_size: 1 }] })),
    accepted: each(set({ model_warmup: [] })),
  },
  {
    rule: "105",
    about: "no steps",
    on: legalEnsemble,
    says: /must specify 'step' for ensemble/,
    refused: each(set({ ensemble_scheduling: {} }), set({ ensemble_scheduling: { step: [] } })),
    accepted: each(nothing),
  },
  {
    rule: "106",
    about: "a step without model or maps",
    on: legalChain,
    says: /must specify '(model_name|input_map|output_map)' in step \d+ of ensemble/,
    refused: fc
      .tuple(fc.constantFrom("model_name", "input_map", "output_map"), fc.constantFrom(0, 1))
      .map(([name, at]) => omitInStep(at, name)),
    accepted: each(nothing),
  },
  {
    rule: "107",
    about: "a tensor of two steps",
    on: legalChain,
    says: /can appear in an output map only once/,
    refused: each(step(1, { output_map: { O: "mid" } }), step(0, { output_map: { O: "O" } })),
    accepted: each(changeSteps((steps) => steps.toReversed())),
  },
  {
    rule: "109",
    about: "an ensemble input that nothing uses",
    on: legalChain,
    says: /ensemble input '.*' for ensemble .* is not used/,
    refused: each("extra", "i", "I ").map((name) =>
      changeConfig((config) => ({
        ...config,
        input: [...(config.input ?? []), { name, data_type: "TYPE_FP32", dims: [1] }],
      })),
    ),
    accepted: each(nothing),
  },
  {
    rule: "110",
    about: "an ensemble output that nothing writes",
    on: legalChain,
    says: /ensemble output '.*' for ensemble .* is not used|output '.*' for ensemble '.*' is not written|ensemble input 'I' for/,
    refused: each(
      changeConfig((config) => ({
        ...config,
        output: [...(config.output ?? []), { name: "extra", data_type: "TYPE_FP32", dims: [1] }],
      })),
      step(1, { input_map: { I: "nowhere" } }),
      step(0, { input_map: { I: "O" } }),
    ),
    accepted: each(nothing),
  },
  {
    rule: "111",
    about: "a tensor that nothing uses",
    on: typed,
    says: /is unused in ensemble|is not written|is not used/,
    refused: each(
      step(1, { input_map: { I: "I" } }),
      step(1, { output_map: { O: "other" } }),
      step(0, { output_map: { O: "mid2" } }),
    ),
    accepted: each(
      all(step(0, { output_map: { O: "x" } }), step(1, { input_map: { I: "x" } })),
      all(
        step(1, { input_map: { I: "I" } }),
        changeConfig((config) => ({
          ...config,
          output: [...(config.output ?? []), { name: "mid", data_type: "TYPE_FP32", dims: [2, 3] }],
        })),
      ),
    ),
  },
  {
    rule: "112",
    about: "a step that writes an ensemble input, an input that is an output",
    on: typed,
    accepted: each(
      all(
        step(1, { output_map: { O: "I" } }),
        set({ output: [{ name: "mid", data_type: "TYPE_FP32", dims: [2, 3] }] }),
      ),
      changeConfig((config) => ({
        ...config,
        output: [...(config.output ?? []), { name: "I", data_type: "TYPE_FP32", dims: [2, 3] }],
      })),
      changeSteps((steps) => steps.toReversed()),
    ),
  },
  {
    rule: "113",
    about: "a step's model that is missing or refused",
    on: flat,
    says: /contains models that are not available or ambiguous/,
    refused: each(
      without("a"),
      without("b"),
      step(0, { model_name: "A" }),
      member("a", { max_batch_size: -1 }),
      member("b", { input: [{}] }),
    ),
    accepted: each(nothing),
  },
  {
    rule: "114",
    costly: true,
    about: "ensembles in a circle",
    on: flat,
    says: /circular dependency between ensembles/,
    refused: each(step(0, { model_name: "pipe" }), step(1, { model_name: "pipe" })),
    accepted: each(step(0, { model_name: "b" })),
  },
  {
    rule: "114",
    costly: true,
    atStart: true,
    about: "two ensembles in a circle",
    on: flat,
    says: /circular dependency between ensembles/,
    refused: each((draft) => {
      const pipe = draft.at(-1)?.config ?? {};
      return step(1, { model_name: "other" })([
        ...draft.slice(0, -1),
        plainModel("other", {
          ...pipe,
          ensemble_scheduling: {
            step: [{ model_name: "pipe", model_version: -1, input_map: { I: "I" }, output_map: { O: "O" } }],
          },
        }),
        ...draft.slice(-1),
      ]);
    }),
  },
  {
    rule: "115",
    about: "a step's model that cannot be loaded",
    on: flat,
    says: /which has no loaded version|contains models that are not available/,
    refused: each(
      member("a", { backend: "nope" }),
      member("b", { version_policy: { specific: { versions: [7] } } }),
      member("b", { sequence_batching: {}, response_cache: { enable: true } }),
    ),
    accepted: each(member("a", { version_policy: { all: {} } })),
  },
  {
    rule: "116",
    about: "a version that is not loaded",
    on: flat,
    says: /whose required version -?\d+ is not loaded/,
    refused: [
      ...each(0, 2, -2).map((model_version) => step(0, { model_version })),
      omitInStep(1, "model_version"),
    ],
    accepted: each(1, -1).map((model_version) => step(1, { model_version })),
  },
  {
    rule: "118",
    about: "an ensemble's batch over a step's",
    on: batched,
    says: /allows maximum batch size .*, but it contains model .* which only allows maximum batch size to be/,
    refused: each(
      member("a", { max_batch_size: 3 }),
      member("b", { max_batch_size: 1 }),
      set({ max_batch_size: 5 }),
    ),
    accepted: each(
      member("a", { max_batch_size: 0 }),
      member("b", { max_batch_size: 9 }),
      set({ max_batch_size: 1 }),
    ),
  },
  {
    rule: "119",
    about: "a map to a tensor that the model does not have",
    on: typed,
    says: /non-existing (input|output)|duplicate|more than once|multiple/,
    refused: each(
      step(0, { input_map: { I: "I", X: "I" } }),
      step(1, { input_map: { i: "mid" } }),
      step(0, { output_map: { o: "mid" } }),
      (draft) =>
        draft.map((model) =>
          model.name === "a"
            ? {
                ...model,
                config: {
                  ...model.config,
                  output: [...(model.config.output ?? []), ...(model.config.output ?? [])],
                },
              }
            : model,
        ),
    ),
    accepted: each(nothing),
  },
  {
    rule: "120",
    about: "an input that nothing is mapped to",
    on: typed,
    says: /is not mapped to any ensemble tensors/,
    refused: each(
      member("a", {
        input: [
          { name: "I", data_type: "TYPE_FP32", dims: [2, 3] },
          { name: "K", data_type: "TYPE_FP32", dims: [1] },
        ],
      }),
      member("b", {
        input: [
          { name: "K", data_type: "TYPE_FP32", dims: [1] },
          { name: "I", data_type: "TYPE_FP32", dims: [2, 3] },
        ],
      }),
    ),
    accepted: each(
      member("a", {
        input: [
          { name: "I", data_type: "TYPE_FP32", dims: [2, 3] },
          { name: "K", data_type: "TYPE_FP32", dims: [1], optional: true },
        ],
      }),
      member("a", {
        output: [
          { name: "O", data_type: "TYPE_FP32", dims: [2, 3] },
          { name: "K", data_type: "TYPE_FP32", dims: [1] },
        ],
      }),
    ),
  },
  {
    rule: "121",
    about: "types that differ along a tensor",
    on: typed,
    says: /inconsistent data type/,
    refused: each(
      memberType("a", "input", { data_type: "TYPE_INT32" }),
      memberType("a", "output", { data_type: "TYPE_FP16" }),
      memberType("b", "input", { data_type: "TYPE_STRING" }),
      setInput({ data_type: "TYPE_INT64" }),
      setOutput({ data_type: "TYPE_FP64" }),
    ),
    accepted: each(
      all(memberType("a", "input", { data_type: "TYPE_INT32" }), setInput({ data_type: "TYPE_INT32" })),
      all(memberType("b", "output", { data_type: "TYPE_INT8" }), setOutput({ data_type: "TYPE_INT8" })),
    ),
  },
  {
    rule: "122",
    about: "shapes that differ along a tensor",
    on: typed,
    says: /inconsistent shape/,
    refused: [
      ...each([2], [2, 4], [-1, 4], [1, 2, 3, 1]).map((dims) => memberType("b", "input", { dims })),
      ...each([3, 3], [6]).map((dims) => setInput({ dims })),
      ...each([2, -1, -1, -1], [2, 5]).map((dims) => setOutput({ dims })),
    ],
    accepted: [
      ...each([-1, 3], [2, -1], [-1, -1]).map((dims) => memberType("b", "input", { dims })),
      ...each([-1, 3], [-1, -1]).map((dims) => setInput({ dims })),
      all(memberType("a", "output", { dims: [-1, -1] }), memberType("b", "input", { dims: [7, 7] })),
    ],
  },
  {
    rule: "122",
    about: "batch dims that meet dims",
    on: batched,
    says: /inconsistent shape/,
    refused: each(
      all(member("b", { max_batch_size: 0 }), memberType("b", "input", { dims: [4, 2, 3, 1] })),
      all(member("a", { max_batch_size: 0 }), memberType("a", "output", { dims: [1, 3] })),
    ),
    accepted: each(
      all(member("b", { max_batch_size: 0 }), memberType("b", "input", { dims: [-1, 2, 3] })),
      all(member("b", { max_batch_size: 0 }), memberType("b", "input", { dims: [8, 2, 3] })),
      all(member("a", { max_batch_size: 0 }), memberType("a", "output", { dims: [-1, 2, 3] })),
      member("a", { max_batch_size: 0 }),
    ),
  },
  {
    rule: "123",
    about: "reshapes of the ensemble's own tensors",
    on: batched,
    says: /inconsistent shape/,
    refused: each(
      setInput({ reshape: { shape: [6] } }),
      setOutput({ reshape: { shape: [3, 2] } }),
      all(
        setInput({ dims: [1], reshape: { shape: [] } }),
        memberType("a", "input", { dims: [1], reshape: { shape: [] } }),
      ),
    ),
    accepted: each(
      all(setInput({ dims: [6], reshape: { shape: [2, 3] } })),
      memberType("b", "input", { reshape: { shape: [6] } }),
      memberType("a", "output", { reshape: { shape: [3, 2] } }),
    ),
  },
  {
    rule: "124",
    about: "batched and unbatched steps together",
    on: batched,
    accepted: each(
      member("a", { max_batch_size: 0 }),
      all(member("a", { max_batch_size: 0 }), member("b", { max_batch_size: 0 })),
      set({ max_batch_size: 0 }),
    ),
  },
  {
    rule: "125",
    about: "decoupled ensembles",
    on: typed,
    accepted: each(
      member("a", decoupled),
      member("b", decoupled),
      set(decoupled),
      all(member("a", decoupled), set({ model_transaction_policy: { decoupled: false } })),
    ),
  },
  {
    rule: "126",
    about: "two decoupled origins in one step",
    on: batched,
    says: /receives inputs originated from different decoupled models/,
    refused: each(all(joining, member("a", decoupled)), all(joining, member("b", decoupled))),
    accepted: each(joining, all(joining, member("j", decoupled))),
  },
  {
    rule: "127",
    about: "a cache of a decoupled ensemble",
    on: typed,
    says: /Response Cache does not currently support model .* with 'decoupled'/,
    refused: each(
      all(member("a", decoupled), set({ response_cache: { enable: true } })),
      all(
        member("b", decoupled),
        set({ response_cache: { enable: true }, model_transaction_policy: { decoupled: false } }),
      ),
    ),
    accepted: each(
      set({ response_cache: { enable: true } }),
      all(member("a", decoupled), set({ response_cache: { enable: false } })),
    ),
  },
  {
    rule: "129",
    about: "an optional ensemble input",
    on: typed,
    accepted: each(setInput({ optional: true })),
  },
  {
    rule: "21",
    about: "an ensemble without a version",
    on: legalEnsemble,
    says: /at least one version must be available/,
    refused: each(setVersions(), setVersions("01/")),
    accepted: each(setVersions("3/"), setVersions("1/", "2/")),
  },
  {
    rule: "131",
    about: "tensor rules for ensembles",
    on: typed,
    says: /shape tensors are only supported|require 3 dims|dimension must be integer|must specify 'data_type'/,
    refused: each(
      setInput({ is_shape_tensor: true }),
      setInput({ format: "FORMAT_NCHW" }),
      setOutput({ dims: [0] }),
      setOutput({ data_type: "TYPE_INVALID" }),
    ),
    accepted: each(setInput({ format: "FORMAT_NONE" }), addModel("lonely", { backend: "fil" })),
  },
  {
    rule: "130",
    about: "a field of later releases",
    on: legalSingle,
    says: /failed to read text proto/,
    refused: each(set({ ensemble_scheduling: { max_inflight_requests: 2 } })),
  },
];
