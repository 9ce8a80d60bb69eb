import { invariant, type StepDefinition } from "@tritype/core";
import { type CollateTwinOptions, collateTwinSchema } from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import type { StepKind } from "../step-kind.ts";
import { readTokenizerFile } from "../tokenizer/tokenizer-file.ts";
import {
  acceptedLanguages,
  tokenizersRequirement,
  twinJson,
  twinOptionsOf,
} from "../tokenizer/tokenizer-kind.ts";
import { textFile } from "../tree.ts";
import { collatePython } from "./collate-python.ts";

/**
 * Texts → answers: a Python model in front of an ensemble, which tokenises all texts that wait and asks the ensemble once per group of
 * like lengths. Only `splitEnsembles` makes such steps; no author does.
 */
export const collateKind: StepKind = {
  kind: "collate",
  refusals: "held",
  accepts: (step, { host }) => acceptedLanguages(collateOptions(step, host)),
  emit(step, context) {
    const { host } = context;
    const options = collateOptions(step, host);
    const python = collatePython(options, context);
    const file = readTokenizerFile(host, String(step.options["from"]));
    invariant(file.kind === "tokenizer", `${step.name} was emitted without the tokenizer's check`);
    return {
      // One: what comes while it waits for its groups is sorted together. Two halve each other's groups.
      config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }], dynamic_batching: {} },
      files: new Map([
        ["model.py", textFile(python)],
        ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
      ]),
      twin: { kind: "collate", options: twinJson(options) },
      requirements: ["numpy", tokenizersRequirement],
      calls: [options.behind],
    };
  },
};

/** For a step that `splitEnsembles` made. */
export const collateOptions = (step: StepDefinition, host: CompilerHost): CollateTwinOptions => {
  const { tokenizer, behind, takes: inputs, maxWaste, maxBatchSize } = step.options;
  const name = String(tokenizer);
  return collateTwinSchema.parse({
    ...twinOptionsOf({ ...step, name }, host),
    behind,
    inputs,
    maxWaste,
    maxBatchSize,
  });
};
