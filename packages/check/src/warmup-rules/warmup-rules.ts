import { didYouMean, inBackticks, nearHelp } from "@tritype/core";
import { absence, insteadOf } from "../model/onnx-file.ts";
import { knowing, repositoryRule, type Rule, type RuleReport } from "../rule.ts";
import { warmupEntries } from "./warmup-entries.ts";
import { type FoundWarmup, inputPath, samplePath, type WarmupProblem } from "./warmup-problem.ts";
import { warmupProblems } from "./warmup-problems.ts";

type Kind = WarmupProblem["kind"];

/** A rule that reports one kind of problem. The rule supplies the values of `{model}`, `{sample}` and `{tensor}`. */
const warmupRule = <K extends Kind>(
  kind: K,
  tell: (
    problem: FoundWarmup<K>,
    report: RuleReport<(typeof warmupEntries)[K], "model" | "sample" | "tensor">,
  ) => void,
): Rule =>
  repositoryRule(warmupEntries[kind], ({ models }, report) => {
    for (const checked of models.values())
      for (const problem of warmupProblems(checked)) {
        if (!isOf(problem, kind)) continue;
        const { at } = problem;
        const known = { model: at.model.name, sample: at.name, tensor: "input" in at ? at.input : undefined };
        tell(problem, knowing(report, known));
      }
  });

const isOf = <K extends Kind>(problem: WarmupProblem, kind: K): problem is FoundWarmup<K> =>
  problem.kind === kind;

/** Warmup samples that Triton refuses, and samples that do not warm up anything. */
export const warmupRules: readonly Rule[] = [
  warmupRule("open-dims", ({ at, dims }, report) =>
    report(at.model.at(inputPath(at, "dims"), "not a size"), { dims: dims.join(", ") }),
  ),
  warmupRule("no-data", ({ at }, report) => report(at.model.at(inputPath(at), "no data"))),
  warmupRule("missing-file", ({ at, file }, report) =>
    report(at.model.at(inputPath(at, "input_data_file"), "no such file"), {
      file,
      found: absence(at.model, file),
      notes: insteadOf(at.model, file),
    }),
  ),
  warmupRule("short-file", ({ at, file, found, wanted, tensor }, report) =>
    report(at.model.at(inputPath(at, "input_data_file"), `${found} of ${wanted} bytes`), {
      file,
      found,
      wanted,
      tensor,
    }),
  ),
  warmupRule("string-file", ({ at, file, wanted, why }, report) =>
    report(at.model.at(inputPath(at, "input_data_file"), `not ${wanted} strings`), { file, wanted, why }),
  ),
  warmupRule("missing-inputs", ({ at, missing, unknown }, report) => {
    const [first = ""] = unknown;
    const near = didYouMean(first, missing);
    report(at.model.at(samplePath(at, "inputs"), "not complete"), {
      missing: inBackticks(missing) || "inputs",
      notes: unknown.length === 0 ? [] : [`${inBackticks(unknown)}: not an input of \`${at.model.name}\``],
      help: near && `did you mean \`${near}\` instead of \`${first}\`?`,
    });
  }),
  warmupRule("dtype", ({ at, wanted, found }, report) =>
    report(at.model.at(inputPath(at, "data_type"), `not ${wanted}`), { wanted, found }),
  ),
  warmupRule("shape", ({ at, wanted, found, batchAxis }, report) =>
    report(at.model.at(inputPath(at, "dims"), `not ${wanted}`), {
      wanted,
      found,
      help: batchAxis ? "leave the batch axis out of dims" : undefined,
    }),
  ),
  warmupRule("batch-size", ({ at, size, limit }, report) =>
    report(at.model.at(samplePath(at, "batch_size"), `more than ${limit}`), { size, limit }),
  ),
  warmupRule("correlation-id", ({ at, control }, report) =>
    report(at.model.at(samplePath(at), "cannot run"), { control }),
  ),
  warmupRule("skipped", ({ at, written }, report) =>
    report(at.model.at(written ? samplePath(at, "batch_size") : samplePath(at), "never runs"), {
      size: written ? 0 : "not set",
    }),
  ),
  warmupRule("long-file", ({ at, file, wanted, tensor }, report) =>
    report(at.model.at(inputPath(at, "input_data_file"), `longer than ${wanted} bytes`), {
      file,
      wanted,
      tensor,
    }),
  ),
  warmupRule("random-ids", ({ at, dtype }, report) =>
    report(at.model.at(inputPath(at, "random_data"), "not ids"), { dtype }),
  ),
  warmupRule("empty-strings", ({ at, field }, report) =>
    report(at.model.at(inputPath(at, field), "empty strings"), { field }),
  ),
  warmupRule("unknown-input", ({ at, known }, report) =>
    report(at.model.at(inputPath(at), "no such input"), { help: nearHelp(didYouMean(at.input, known)) }),
  ),
];
