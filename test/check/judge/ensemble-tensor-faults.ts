import type { ModelEnsemblingStep } from "@tritype/triton";
import { all, type Edit, nothing, each, set, setInput, setOutput } from "./draft.ts";
import { addModel, changeSteps, member, memberType, step } from "./ensemble-edits.ts";
import type { Fault } from "./fault.ts";
import { batchedChain, typedChain } from "./legal-ensemble.ts";
import { plainModel } from "./legal-single.ts";
import { larger, more, redimmed, reshaped, retyped } from "./port-edits.ts";

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

/** Rules 118 to 129 and 131: whether an ensemble and its models agree about a tensor. */
export const ensembleTensorFaults: readonly Fault[] = [
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
];
