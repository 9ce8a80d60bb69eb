import { didYouMean, type Report } from "@tritype/core";
import { insteadOf } from "../model/onnx-file.ts";
import { repositoryRule, type Rule } from "../rule.ts";
import { warmupEntries } from "./warmup-entries.ts";
import { type FoundWarmup, inputPath, samplePath, type WarmupProblem } from "./warmup-problem.ts";
import { warmupProblems } from "./warmup-problems.ts";
import { nearHelp } from "../model/near-help.ts";

type Kind = WarmupProblem["kind"];

const warmupRule = <K extends Kind>(
  kind: K,
  tell: (problem: FoundWarmup<K>) => Report<(typeof warmupEntries)[K]>,
): Rule =>
  repositoryRule(warmupEntries[kind], ({ models }, report) => {
    for (const checked of models.values())
      for (const problem of warmupProblems(checked)) if (isOf(problem, kind)) report(tell(problem));
  });

const isOf = <K extends Kind>(problem: WarmupProblem, kind: K): problem is FoundWarmup<K> =>
  problem.kind === kind;

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Warmup samples that Triton refuses, and samples that do not warm up anything. */
export const warmupRules: readonly Rule[] = [
  warmupRule("open-dims", ({ at, dims }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name, dims: dims.join(", ") },
    labels: [at.model.at(inputPath(at, "dims"), "not a size")],
  })),
  warmupRule("no-data", ({ at }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name },
    labels: [at.model.at(inputPath(at), "no data")],
  })),
  warmupRule("missing-file", ({ at, file }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name, file },
    labels: [at.model.at(inputPath(at, "input_data_file"), "no such file")],
    notes: insteadOf(at.model, file),
  })),
  warmupRule("short-file", ({ at, file, found, wanted, tensor }) => ({
    with: { model: at.model.name, file, found, wanted, tensor },
    labels: [at.model.at(inputPath(at, "input_data_file"), `${found} of ${wanted} bytes`)],
  })),
  warmupRule("string-file", ({ at, file, wanted, why }) => ({
    with: { model: at.model.name, file, wanted, tensor: at.input, why },
    labels: [at.model.at(inputPath(at, "input_data_file"), `not ${wanted} strings`)],
  })),
  warmupRule("missing-inputs", ({ at, missing, unknown }) => {
    const [first = ""] = unknown;
    const near = didYouMean(first, missing);
    return {
      with: { sample: at.name, model: at.model.name, missing: quoted(missing) || "any input" },
      labels: [at.model.at(samplePath(at, "inputs"), "not complete")],
      notes: unknown.length === 0 ? [] : [`${quoted(unknown)}: not an input of \`${at.model.name}\``],
      ...(near === undefined ? {} : { help: `did you mean \`${near}\` instead of \`${first}\`?` }),
    };
  }),
  warmupRule("dtype", ({ at, wanted, found }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name, wanted, found },
    labels: [at.model.at(inputPath(at, "data_type"), `not ${wanted}`)],
  })),
  warmupRule("shape", ({ at, wanted, found, batchAxis }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name, wanted, found },
    labels: [at.model.at(inputPath(at, "dims"), `not ${wanted}`)],
    ...(batchAxis ? { help: "leave the batch axis out of dims" } : {}),
  })),
  warmupRule("batch-size", ({ at, size, limit }) => ({
    with: { sample: at.name, model: at.model.name, size, limit },
    labels: [at.model.at(samplePath(at, "batch_size"), `more than ${limit}`)],
  })),
  warmupRule("correlation-id", ({ at, control }) => ({
    with: { model: at.model.name, control },
    labels: [at.model.at(samplePath(at), "cannot run")],
  })),
  warmupRule("skipped", ({ at, written }) => ({
    with: { sample: at.name, model: at.model.name, size: written ? 0 : "not set" },
    labels: [at.model.at(written ? samplePath(at, "batch_size") : samplePath(at), "never runs")],
  })),
  warmupRule("long-file", ({ at, file, wanted, tensor }) => ({
    with: { model: at.model.name, file, wanted, tensor },
    labels: [at.model.at(inputPath(at, "input_data_file"), `longer than ${wanted} bytes`)],
  })),
  warmupRule("random-ids", ({ at, dtype }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name, dtype },
    labels: [at.model.at(inputPath(at, "random_data"), "not ids")],
  })),
  warmupRule("empty-strings", ({ at, how }) => ({
    with: { tensor: at.input, sample: at.name, model: at.model.name, how },
    labels: [at.model.at(inputPath(at, how), "empty strings")],
  })),
  warmupRule("unknown-input", ({ at, known }) => {
    const near = didYouMean(at.input, known);
    return {
      with: { tensor: at.input, sample: at.name, model: at.model.name },
      labels: [at.model.at(inputPath(at), "no such input")],
      ...nearHelp(near),
    };
  }),
];
