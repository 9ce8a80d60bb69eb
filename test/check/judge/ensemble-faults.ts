import type { DataType, ModelConfig, ModelEnsemblingStep, ModelInput, ModelOutput } from "@tritype/triton";
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
import { batchedChain, flatChain, legalChain, legalEnsemble, typedChain } from "./legal-ensemble.ts";
import { dataTypes, legalSingle, plainModel } from "./legal-single.ts";

const decoupled = { model_transaction_policy: { decoupled: true } };
const joined: ModelEnsemblingStep = {
  model_name: "j",
  model_version: -1,
  input_map: { I0: "O2", I1: "I" },
  output_map: { O: "end" },
};
const joining: Edit = (draft) => {
  const { input: [first = {}] = [], max_batch_size = 0 } = draft.at(-1)?.config ?? {};
  const { data_type, dims } = first;
  const io = { ...(data_type ? { data_type } : {}), ...(dims ? { dims } : {}) };
  const j = plainModel("j", {
    backend: "openvino",
    input: [
      { name: "I0", ...io },
      { name: "I1", ...io },
    ],
    output: [{ name: "O", ...io }],
    max_batch_size,
  });
  return all(
    changeSteps((steps) => [
      ...steps.map((one, at) => (at === 1 ? { ...one, output_map: { O: "O2" } } : one)),
      joined,
    ]),
    set({ output: [{ name: "end", ...io }] }),
  )([j, ...draft]);
};

/** The type after this one. */
const otherType = ({ data_type = "TYPE_FP32" }: { readonly data_type?: DataType }, by = 1): DataType =>
  dataTypes[(dataTypes.indexOf(data_type) + by) % dataTypes.length] ?? "TYPE_FP32";
const retyped =
  (by = 1) =>
  (port: ModelInput & ModelOutput): { readonly data_type: DataType } => ({ data_type: otherType(port, by) });
/** Dims made from those of a matrix. */
const redimmed =
  (change: (x: number, y: number) => readonly number[]) =>
  ({ dims: [x = 2, y = 3] = [] }: ModelInput & ModelOutput): { readonly dims: readonly number[] } => ({
    dims: change(x, y),
  });
const reshaped =
  (change: (x: number, y: number) => readonly number[]) => (port: ModelInput & ModelOutput) => ({
    reshape: { shape: redimmed(change)(port).dims },
  });
/** More outputs like the first. */
const moreOutputs = (...names: readonly string[]): Edit =>
  changeConfig(({ output = [], ...config }) => ({
    ...config,
    output: [...output, ...names.map((name) => ({ ...output[0], name }))],
  }));
const more =
  (side: "input" | "output", where: "before" | "after", fields: ModelInput = {}) =>
  (config: ModelConfig): ModelConfig => {
    const own = config[side] ?? [];
    const one = { name: "K", data_type: otherType(own[0] ?? {}), dims: [1], ...fields };
    return { [side]: where === "before" ? [one, ...own] : [...own, one] };
  };
const larger =
  (by: number) =>
  ({ max_batch_size = 0 }: ModelConfig): ModelConfig => ({ max_batch_size: max_batch_size + by });

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
    refused: each("extra", "i", "I ").map((name) => set(more("input", "after", { name }))),
    accepted: each(nothing),
  },
  {
    rule: "110",
    about: "an ensemble output that nothing writes",
    on: legalChain,
    says: /ensemble output '.*' for ensemble .* is not used|output '.*' for ensemble '.*' is not written|ensemble input 'I' for/,
    refused: each(
      set(more("output", "after", { name: "extra" })),
      step(1, { input_map: { I: "nowhere" } }),
      step(0, { input_map: { I: "O" } }),
    ),
    accepted: each(nothing),
  },
  {
    rule: "111",
    about: "a tensor that nothing uses",
    on: typedChain,
    says: /is unused in ensemble|is not written|is not used/,
    refused: each(
      step(1, { input_map: { I: "I" } }),
      step(1, { output_map: { O: "other" } }),
      step(0, { output_map: { O: "mid2" } }),
    ),
    accepted: each(
      all(step(0, { output_map: { O: "x" } }), step(1, { input_map: { I: "x" } })),
      all(step(1, { input_map: { I: "I" } }), moreOutputs("mid")),
    ),
  },
  {
    rule: "112",
    about: "a step that writes an ensemble input, an input that is an output",
    on: typedChain,
    accepted: each(
      all(step(1, { output_map: { O: "I" } }), setOutput({ name: "mid" })),
      moreOutputs("I"),
      changeSteps((steps) => steps.toReversed()),
    ),
  },
  {
    rule: "113",
    about: "a step's model that is missing or refused",
    on: flatChain,
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
    on: flatChain,
    says: /circular dependency between ensembles/,
    refused: each(step(0, { model_name: "pipe" }), step(1, { model_name: "pipe" })),
    accepted: each(step(0, { model_name: "b" })),
  },
  {
    rule: "114",
    costly: true,
    atStart: true,
    about: "two ensembles in a circle",
    on: flatChain,
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
    on: flatChain,
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
    on: flatChain,
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
    on: batchedChain,
    says: /allows maximum batch size .*, but it contains model .* which only allows maximum batch size to be/,
    refused: each(member("a", larger(-1)), member("b", { max_batch_size: 1 }), set(larger(1))),
    accepted: each(member("a", { max_batch_size: 0 }), member("b", larger(5)), set({ max_batch_size: 1 })),
  },
  {
    rule: "119",
    about: "a map to a tensor that the model does not have",
    on: typedChain,
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
    on: typedChain,
    says: /is not mapped to any ensemble tensors/,
    refused: each(member("a", more("input", "after")), member("b", more("input", "before"))),
    accepted: each(
      member("a", more("input", "after", { optional: true })),
      member("a", more("output", "after")),
    ),
  },
  {
    rule: "121",
    about: "types that differ along a tensor",
    on: typedChain,
    says: /inconsistent data type/,
    refused: each(
      memberType("a", "input", retyped()),
      memberType("a", "output", retyped(2)),
      memberType("b", "input", retyped(5)),
      setInput(retyped(3)),
      setOutput(retyped(7)),
    ),
    accepted: each(
      all(memberType("a", "input", retyped()), setInput(retyped())),
      all(memberType("b", "output", retyped(4)), setOutput(retyped(4))),
    ),
  },
  {
    rule: "122",
    about: "shapes that differ along a tensor",
    on: typedChain,
    says: /inconsistent shape/,
    refused: [
      memberType(
        "b",
        "input",
        redimmed((x) => [x]),
      ),
      memberType(
        "b",
        "input",
        redimmed((x, y) => [x, y + 1]),
      ),
      memberType(
        "b",
        "input",
        redimmed((_, y) => [-1, y + 1]),
      ),
      memberType(
        "b",
        "input",
        redimmed((x, y) => [1, x, y, 1]),
      ),
      setInput(redimmed((x, y) => [x + 1, y])),
      setInput(redimmed((x, y) => [x * y])),
      setOutput(redimmed((x) => [x, -1, -1, -1])),
      setOutput(redimmed((x, y) => [x, y + 2])),
    ],
    accepted: [
      memberType(
        "b",
        "input",
        redimmed((_, y) => [-1, y]),
      ),
      memberType(
        "b",
        "input",
        redimmed((x) => [x, -1]),
      ),
      memberType("b", "input", { dims: [-1, -1] }),
      setInput(redimmed((_, y) => [-1, y])),
      setInput({ dims: [-1, -1] }),
      all(memberType("a", "output", { dims: [-1, -1] }), memberType("b", "input", { dims: [7, 7] })),
    ],
  },
  {
    rule: "122",
    about: "batch dims that meet dims",
    on: batchedChain,
    says: /inconsistent shape/,
    refused: each(
      all(
        member("b", { max_batch_size: 0 }),
        memberType(
          "b",
          "input",
          redimmed((x, y) => [4, x, y, 1]),
        ),
      ),
      all(
        member("a", { max_batch_size: 0 }),
        memberType(
          "a",
          "output",
          redimmed((_, y) => [1, y]),
        ),
      ),
    ),
    accepted: each(
      all(
        member("b", { max_batch_size: 0 }),
        memberType(
          "b",
          "input",
          redimmed((x, y) => [-1, x, y]),
        ),
      ),
      all(
        member("b", { max_batch_size: 0 }),
        memberType(
          "b",
          "input",
          redimmed((x, y) => [8, x, y]),
        ),
      ),
      all(
        member("a", { max_batch_size: 0 }),
        memberType(
          "a",
          "output",
          redimmed((x, y) => [-1, x, y]),
        ),
      ),
      member("a", { max_batch_size: 0 }),
    ),
  },
  {
    rule: "123",
    about: "reshapes of the ensemble's own tensors",
    on: batchedChain,
    says: /inconsistent shape/,
    refused: each(
      setInput(reshaped((x, y) => [x * y])),
      setOutput(reshaped((x, y) => [x * y, 1])),
      all(
        setInput({ dims: [1], reshape: { shape: [] } }),
        memberType("a", "input", { dims: [1], reshape: { shape: [] } }),
      ),
    ),
    accepted: each(
      setInput((port) => ({ ...redimmed((x, y) => [x * y])(port), ...reshaped((x, y) => [x, y])(port) })),
      memberType(
        "b",
        "input",
        reshaped((x, y) => [x * y]),
      ),
      memberType(
        "a",
        "output",
        reshaped((x, y) => [y, x]),
      ),
    ),
  },
  {
    rule: "124",
    about: "batched and unbatched steps together",
    on: batchedChain,
    accepted: each(
      member("a", { max_batch_size: 0 }),
      all(member("a", { max_batch_size: 0 }), member("b", { max_batch_size: 0 })),
      set({ max_batch_size: 0 }),
    ),
  },
  {
    rule: "125",
    about: "decoupled ensembles",
    on: typedChain,
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
    on: batchedChain,
    says: /receives inputs originated from different decoupled models/,
    refused: each(all(joining, member("a", decoupled)), all(joining, member("b", decoupled))),
    accepted: each(joining, all(joining, member("j", decoupled))),
  },
  {
    rule: "127",
    about: "a cache of a decoupled ensemble",
    on: typedChain,
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
    on: typedChain,
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
    on: typedChain,
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
