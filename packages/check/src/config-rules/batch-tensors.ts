import { didYouMean, nearHelp } from "@tritype/core";
import type { BatchInput, BatchOutput } from "@tritype/triton";
import type { FieldPath, ModelContext } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

interface BatchTensor {
  readonly field: "batch_input" | "batch_output";
  readonly side: "input" | "output";
  readonly io: BatchInput & Omit<BatchOutput, "kind">;
  readonly kind: unknown;
  readonly path: FieldPath;
}

const batchTensors = ({ config }: ModelContext): readonly BatchTensor[] => [
  ...(config.batch_input ?? []).map((io, i) => ({
    field: "batch_input" as const,
    side: "input" as const,
    io,
    kind: io.kind,
    path: ["batch_input", i],
  })),
  ...(config.batch_output ?? []).map(({ kind, ...io }, i) => ({
    field: "batch_output" as const,
    side: "output" as const,
    io,
    kind,
    path: ["batch_output", i],
  })),
];

const kind = modelRule(
  {
    code: "batch/unknown-kind",
    triton: ["75", "76"],
    atLoad: "completed",
    reason:
      "Triton accepts any number for an enum, even one that matches no kind, so the backend would not know what to compute.",
    words: "unknown batch {side} kind '' for {model}",
    message: "kind {kind} of a `{field}` of `{model}` does not exist",
    help: "write the kind by its name",
  },
  (model, report) => {
    for (const { field, side, kind: given, path } of batchTensors(model))
      if (typeof given === "number")
        report(model.at([...path, "kind"], "no such kind"), { kind: given, field, side });
  },
);

/** The default kind for a batch tensor that does not specify one. */
const firstKinds = { input: "BATCH_ELEMENT_COUNT", output: "BATCH_SCATTER_WITH_INPUT_SHAPE" } as const;

const sources = modelRule(
  {
    code: "batch/source-count",
    triton: ["75", "76"],
    atLoad: "completed",
    reason: "Every kind of batch input or output is computed from exactly one input.",
    words: "batch {side} kind '{kind}' expects {wanted:n} source input, got {count:n} for {model}",
    message: "a `{field}` of `{model}` has {count} source inputs, not 1",
    help: "name one input in `source_input`",
  },
  (model, report) => {
    for (const { field, side, io, kind: given, path } of batchTensors(model)) {
      const count = io.source_input?.length ?? 0;
      if (count !== 1)
        report(model.at([...path, "source_input"], `${count} inputs`), {
          field,
          side,
          kind: typeof given === "string" ? given : firstKinds[side],
          wanted: 1,
          count,
        });
    }
  },
);

const datatype = modelRule(
  {
    code: "batch/input-datatype",
    triton: ["75"],
    atLoad: "completed",
    reason: "Backends write counts and shapes as 32-bit integers or floats.",
    words: {
      core: "batch input data type must be TYPE_INT32 or TYPE_FP32 for {model}",
      completing: "unexpected batch input data type '{given}'",
    },
    message: "a `batch_input` of `{model}` has datatype {type}",
    help: "write TYPE_INT32 or TYPE_FP32",
  },
  ({ config, options, at }, report) => {
    // If the backend may complete the configuration, it reports a missing type before the core does.
    const completes = completing.has(config.backend ?? "") && options.strict !== true;
    for (const [i, { data_type: type = "TYPE_INVALID" }] of (config.batch_input ?? []).entries())
      if (type !== "TYPE_INT32" && type !== "TYPE_FP32")
        report(at(["batch_input", i, "data_type"], "neither TYPE_INT32 nor TYPE_FP32"), {
          type: type === "TYPE_INVALID" ? "none" : type,
          given: type,
          words: completes && type === "TYPE_INVALID" ? "completing" : "core",
        });
  },
);

const completing: ReadonlySet<string> = new Set(["onnxruntime", "python"]);

const unknownName = modelRule(
  {
    code: "batch/unknown-tensor",
    triton: ["75", "76"],
    atLoad: "completed",
    reason:
      "Sources must be inputs of the configuration, and targets of a batch_output must be outputs of the configuration.",
    words: "unknown {role} name '{tensor}' for {model}",
    message: "`{tensor}` in a `{field}` of `{model}` is not an {side}",
  },
  (model, report) => {
    const names = {
      input: (model.config.input ?? []).map(({ name = "" }) => name),
      output: (model.config.output ?? []).map(({ name = "" }) => name),
    };
    for (const { field, io, path } of batchTensors(model)) {
      const wanted = [
        ["input", "source_input"],
        ...(field === "batch_output" ? [["output", "target_name"] as const] : []),
      ] as const;
      for (const [side, key] of wanted)
        for (const [i, name] of (io[key] ?? []).entries()) {
          if (names[side].includes(name)) continue;
          const near = didYouMean(name, names[side]);
          report(model.at([...path, key, i], `not an ${side}`), {
            tensor: name,
            field,
            side,
            role: key === "source_input" ? "source input" : "target output",
            help: nearHelp(near),
          });
        }
    }
  },
);

const twice = modelRule(
  {
    code: "batch/target-twice",
    triton: ["76"],
    atLoad: "completed",
    reason: "A batch_output may scatter each output only once.",
    words: "target output name '{tensor}' can only be specified once for {model}",
    message: "a `batch_output` of `{model}` has target `{tensor}` twice",
    help: "name it only once",
  },
  ({ config, at }, report) => {
    for (const [i, { target_name: names = [] }] of (config.batch_output ?? []).entries())
      for (const [j, name] of names.entries())
        if (names.indexOf(name) < j)
          report(at(["batch_output", i, "target_name", j], "again"), { tensor: name });
  },
);

const noTarget = modelRule(
  {
    code: "batch/output-without-target",
    triton: ["77"],
    atLoad: true,
    reason:
      "Backends read the first target of a batch_output without checking that there is one, which crashes the server.",
    message: "a `batch_output` of `{model}` has no `target_name`, which crashes the server",
    help: "name the output that it scatters",
  },
  ({ config, at }, report) => {
    for (const [i, { target_name: names = [] }] of (config.batch_output ?? []).entries())
      if (names.length === 0) report(at(["batch_output", i], "no `target_name`"));
  },
);

export const batchTensorRules: readonly Rule[] = [kind, sources, datatype, unknownName, twice, noTarget];
