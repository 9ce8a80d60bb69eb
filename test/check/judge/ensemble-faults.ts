import * as fc from "fast-check";
import { all, clear, nothing, each, set, setOutput, setVersions } from "./draft.ts";
import { changeSteps, member, omitInStep, step, without } from "./ensemble-edits.ts";
import type { Fault } from "./fault.ts";
import { flatChain, legalChain, legalEnsemble, typedChain } from "./legal-ensemble.ts";
import { legalSingle, plainModel } from "./legal-single.ts";
import { more, moreOutputs } from "./port-edits.ts";

/** Rules 101 to 117, 21 and 130: ensembles, their steps and models. */
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
    about: "ensembles in a cycle",
    on: flatChain,
    says: /circular dependency between ensembles/,
    refused: each(step(0, { model_name: "pipe" }), step(1, { model_name: "pipe" })),
    accepted: each(step(0, { model_name: "b" })),
  },
  {
    rule: "114",
    costly: true,
    atStart: true,
    about: "two ensembles in a cycle",
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
    rule: "21",
    about: "an ensemble without a version",
    on: legalEnsemble,
    says: /at least one version must be available/,
    refused: each(setVersions(), setVersions("01/")),
    accepted: each(setVersions("3/"), setVersions("1/", "2/")),
  },
  {
    rule: "130",
    about: "a field of later releases",
    on: legalSingle,
    says: /failed to read text proto/,
    refused: each(set({ ensemble_scheduling: { max_inflight_requests: 2 } })),
  },
];
