import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

/** Messages about ensemble steps and the tensors that flow between them. */
export const ensembleMessages: readonly ServerMessage[] = [
  {
    ...ofRule("ensemble/platform"),
    means: "`{model}` has `ensemble_scheduling`, but its platform is not `ensemble`",
  },
  {
    ...ofRule("ensemble/no-scheduling"),
    means: "`{model}` has the platform `ensemble`, but no `ensemble_scheduling`",
  },
  ...["instance_group", "optimization", "model_warmup"].map((field) => ({
    ...ofRule("ensemble/foreign-field", field),
    means: `ensemble \`{model}\` has \`${field}\``,
    help: "move it to the models of its steps",
  })),
  {
    ...ofRule("ensemble/no-step"),
    means: "ensemble `{model}` has no step",
    help: "list its steps in `ensemble_scheduling`",
  },
  {
    ...ofRule("ensemble/incomplete-step"),
    means: "step {step} of ensemble `{model}` has no `{field}`",
    help: "write `{field}`; steps are counted from 0",
  },
  {
    ...ofRule("ensemble/written-twice"),
    means: "tensor `{tensor}` of ensemble `{model}` is written by step {step} and by another step",
    help: "give the second one another name",
  },
  {
    ...ofRule(["ensemble/unused-input", "ensemble/unwritten-output"]),
    means: "no step of ensemble `{model}` reads its input `{tensor}`",
  },
  {
    ...ofRule(["ensemble/unwritten-output", "ensemble/unused-tensor"], "unknown"),
    means: "no step of ensemble `{model}` writes its output `{tensor}`",
    help: "map a step's output to `{tensor}` in its `output_map`",
  },
  {
    ...ofRule(["ensemble/unwritten-output", "ensemble/unused-tensor"], "waiting"),
    means: "`{tensor}` of ensemble `{model}` depends on `{missing}`, which nothing writes",
    help: "write `{missing}` in a step's `output_map`, or read another tensor; a cycle of steps gives the same message",
  },
  {
    says: "output '{tensor}' for ensemble '{model}' is not written",
    codes: ["ensemble/unwritten-output", "ensemble/unused-tensor"],
    means: "nothing writes output `{tensor}` of ensemble `{model}`",
    help: "map a step's output to `{tensor}`",
  },
  {
    ...ofRule("ensemble/unused-tensor"),
    means: "a step of ensemble `{model}` writes `{tensor}`, but nothing reads it",
    help: "remove `{tensor}` from the `output_map`: you may omit outputs that you do not need",
  },
  {
    ...ofRule(["ensemble/missing-model", "ensemble/refused-model"]),
    means: "ensemble `{ensemble}` needs models that do not exist or were refused: {models}",
    help: "check the models' folders and spelling, and look in the log for the reason",
  },
  {
    says: "circular dependency between ensembles: {circle:line}",
    codes: ["ensemble/circular"],
    means: "the ensembles call each other in a cycle: {circle}",
    help: "remove one of the steps",
  },
  {
    ...ofRule(["ensemble/refused-model", "ensemble/missing-model"], "unloaded"),
    means: "ensemble `{ensemble}` is not served because its step `{model}` is not",
    help: "look in the log for the reason why `{model}` did not load",
  },
  {
    ...ofRule("ensemble/step-version"),
    means: (names) =>
      `a step of ensemble \`${names["ensemble"]}\` requests version ${names["version"]} of \`${names["model"]}\`, which is not served${names["version"] === "0" ? "; without `model_version` it is 0" : ""}`,
  },
  {
    ...ofRule("ensemble/batch-size"),
    means: "`{ensemble}` accepts batches of {size}, but its step `{model}` accepts at most {limit}",
    help: "lower max_batch_size of `{ensemble}` to {limit}, or raise that of `{model}`",
  },
  {
    ...ofRule("ensemble/unknown-port", "input"),
    means: "ensemble `{ensemble}` maps `{tensor}` to input `{port}` of `{model}`, which has no such input",
    help: "use one of the names of `{model}` as the key in `input_map`",
  },
  {
    ...ofRule("ensemble/unknown-port", "output"),
    means:
      "ensemble `{ensemble}` takes `{tensor}` from output `{port}` of `{model}`, which has no such output",
    help: "use one of the names of `{model}` as the key in `output_map`",
  },
  {
    ...ofRule("ensemble/duplicate-output"),
    means:
      "ensemble `{ensemble}` maps an output of `{model}` to `{tensor}`, but the model has two outputs of that name",
    help: "remove one of them from `{model}`",
  },
  {
    ...ofRule("ensemble/unmapped-input"),
    means: "ensemble `{ensemble}` does not connect input `{port}` of its step `{model}`",
    help: "map it in `input_map`, or mark it `optional: true` in `{model}`",
  },
  {
    ...ofRule("ensemble/dtype"),
    means:
      "tensor `{tensor}` of ensemble `{ensemble}` is {first} for `{producer}`, but {second} for `{model}`",
    help: "declare one data_type in both, or cast in between",
  },
  {
    ...ofRule("ensemble/shape"),
    means:
      "tensor `{tensor}` of ensemble `{ensemble}` is {first} for `{producer}`, but {second} for `{model}`",
    help: ({ first = "", second = "" }) =>
      Math.abs(rankOf(first) - rankOf(second)) === 1
        ? "one of them has one more dim: with max_batch_size above 0, `dims` omit the batch; with 0 they include all dims"
        : "declare the same sizes in both, or -1 where they may differ",
  },
  {
    ...ofRule("ensemble/decoupled-join"),
    means: "a step of ensemble `{ensemble}` pairs a decoupled model's responses with tensors from elsewhere",
  },
  {
    says: "unexpected deadlock, at least one output is not set while no more ensemble steps can be made",
    codes: ["ensemble/shared-output", "python/missing-output", "python/undeclared-output"],
    means: ({ ensemble = "the ensemble" }) =>
      `${ensemble === "the ensemble" ? ensemble : `\`${ensemble}\``} finished without one of its outputs`,
    why: "Triton only computes the requested outputs. If one of them is also read by a step, a request for only some of the outputs may finish before it is written. A step that does not return a declared output has the same effect.",
    help: "request all outputs, or return the tensor a second time through a step that copies it, as `pipeline build` does",
  },
  {
    says: "expected a single response, got {count:n}",
    codes: ["ensemble/written-input"],
    means: "the ensemble sent {count} responses to one request",
    help: "look for a step that writes a tensor that is also an input of the ensemble",
  },
];

const rankOf = (shape: string): number => (shape === "[]" ? 0 : shape.split(",").length);
