import { nearHelp } from "@tritype/core";
import type { Rule } from "../rule.ts";
import { stepPath } from "./ensemble-problem.ts";
import { problemRule } from "./problem-rule.ts";

const missingModelRule = problemRule(
  "missing-model",
  {
    code: "ensemble/missing-model",
    triton: ["113"],
    reason:
      "Triton loads an ensemble after the models of its steps; all of them must be in the repository and readable.",
    words: "ensemble {ensemble} contains models that are not available or ambiguous: {models:line}",
    message: "ensemble `{ensemble}` needs model `{model}`, which does not exist",
  },
  ({ at }, model, report, { names, suggest }) => {
    const near = suggest(
      at.name,
      names.filter((name) => name !== model.name),
    );
    report(model.at(stepPath(at.index, "model_name"), "no such model"), {
      models: at.name,
      help: nearHelp(near) ?? `add \`${at.name}\` to the repository`,
    });
  },
);

const refusedModelRule = problemRule(
  "refused-model",
  {
    code: "ensemble/refused-model",
    triton: ["113", "115"],
    reason:
      "An ensemble is not served if one of its models is not. If that model is part of a cycle of ensembles, the server crashes.",
    words: {
      unread: "ensemble {ensemble} contains models that are not available or ambiguous: {model}",
      unloaded: "ensemble '{ensemble}' depends on '{model}' which has no loaded version",
    },
    message: "ensemble `{ensemble}` needs model `{model}`, which Triton refuses",
    help: "see the diagnostics of `{model}`",
  },
  ({ at, circular, polled, steps }, model, report) =>
    report(model.at(stepPath(at.index, "model_name"), "is itself refused"), {
      words: polled ? "unloaded" : "unread",
      notes: [
        ...(steps > 1 ? [`${steps} steps call \`${at.name}\`; this is the first`] : []),
        ...(circular
          ? [`\`${at.name}\` leads into a cycle of ensembles, which crashes the whole server`]
          : []),
      ],
    }),
);

const circularRule = problemRule(
  "circular",
  {
    code: "ensemble/circular",
    triton: ["114"],
    reason: "An ensemble cannot contain itself as a step.",
    message: "ensemble `{ensemble}` is a step of itself: {circle}",
  },
  ({ at, circle }, model, report) =>
    report(model.at(stepPath(at.index, "model_name"), "leads back to the ensemble"), {
      circle: circle.join(" → "),
    }),
);

const versionRule = problemRule(
  "version",
  {
    code: "ensemble/step-version",
    triton: ["116"],
    reason:
      "A step requests one version of its model, or -1 for the latest; without `model_version` it requests version 0.",
    words: "ensemble '{ensemble}' depends on '{model}' whose required version {version:n} is not loaded.",
    message:
      "step {step} of ensemble `{ensemble}` requests version {version} of `{model}`, which is not served",
    help: "write `model_version: -1` for the latest",
  },
  ({ at, versions }, model, report) => {
    const { model_version: version } = at.step;
    const place = version === undefined ? stepPath(at.index) : stepPath(at.index, "model_version");
    report(model.at(place, version === undefined ? "without `model_version` it is 0" : "not served"), {
      step: at.index,
      version: version ?? 0,
      notes: versions.length === 0 ? [] : [`\`${at.name}\` has ${list(versions)}`],
    });
  },
);

const batchSizeRule = problemRule(
  "batch-size",
  {
    code: "ensemble/batch-size",
    triton: ["118"],
    reason: "An ensemble passes its batches to its steps unchanged.",
    words:
      "ensemble {ensemble} allows maximum batch size {size:n}, but it contains model {model} which only allows maximum batch size to be {limit:n}",
    message: "`{ensemble}` accepts batches of {size}, but its step `{model}` accepts at most {limit}",
    help: "lower `max_batch_size` of `{ensemble}` to {limit}, or raise that of `{model}`",
  },
  ({ at, limit }, model, report) => {
    const { model: step } = at.member;
    const filledIn = step.written.max_batch_size !== limit;
    const says = filledIn ? `auto-complete fills in max_batch_size ${limit}` : "the step's limit";
    const size = model.config.max_batch_size ?? 0;
    const limits = [
      model.at(["max_batch_size"], "the ensemble's limit"),
      ...(step.hasConfig ? [step.at(["max_batch_size"], says)] : []),
    ];
    report(limits, {
      size,
      limit,
      notes: step.hasConfig ? [] : [`\`${at.name}\` has no config.pbtxt: ${says}`],
      help: filledIn
        ? `lower \`max_batch_size\` of \`${model.name}\` to ${limit}, or write one of ${size} in \`${at.name}\``
        : undefined,
    });
  },
);

const list = (versions: readonly string[]): string =>
  versions.length === 1 ? `version ${versions[0]}` : `versions ${versions.join(", ")}`;

export const memberRules: readonly Rule[] = [
  missingModelRule,
  refusedModelRule,
  circularRule,
  versionRule,
  batchSizeRule,
];
