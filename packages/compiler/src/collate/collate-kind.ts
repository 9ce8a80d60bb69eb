import type { StepDefinition } from "@tritype/core";
import { type CollateTwinOptions, collateTwinSchema } from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import type { Found, ModelOptions, StepKind } from "../step-kind.ts";
import { readTokenizer } from "../tokenizer/read-tokenizer.ts";
import type { TokenizerFile } from "../tokenizer/tokenizer-file.ts";
import { acceptedLanguages, tokenizersRequirement, twinJson } from "../tokenizer/tokenizer-kind.ts";
import { onCpu } from "../python/on-cpu.ts";
import { textFile } from "../tree.ts";
import { collateTemplate } from "../generated/python.ts";
import { printPython } from "../python-template.ts";
import { literal, tokenizerConstants } from "../tokenizer/python-parts.ts";

/**
 * Texts → results: a Python model in front of an ensemble, which tokenizes all waiting texts and calls the ensemble
 * once per group of similar lengths. Only `splitEnsembles` creates such steps; authors do not.
 */
export const collateKind: StepKind = {
  kind: "collate",
  refusals: "held",
  read(step, { host }) {
    const { diagnostics, value } = readCollate(step, host);
    if (value === undefined) return { diagnostics };
    const { file, twin } = value;
    return {
      diagnostics,
      value: {
        accepts: acceptedLanguages(twin),
        model: (options) => ({
          // There is only one instance, so that all requests that arrive while it waits for its groups are sorted
          // together. With two instances, groups would be half as large.
          config: onCpu({ dynamic_batching: {} }),
          files: new Map([
            ["model.py", textFile(collatePython(twin, options))],
            ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
          ]),
          twin: { kind: "collate", options: twinJson(twin) },
          requirements: ["numpy", tokenizersRequirement],
          calls: [twin.behind],
        }),
      },
    };
  },
};

/** A step that `splitEnsembles` created, with the tokenizer that it replaces and the ensemble after it. */
export const readCollate = (
  step: StepDefinition,
  host: CompilerHost,
): Found<{ readonly file: TokenizerFile; readonly twin: CollateTwinOptions }> => {
  const { tokenizer, behind, takes: inputs, maxWaste, maxBatchSize } = step.options;
  const { diagnostics, value } = readTokenizer({ ...step, name: String(tokenizer) }, host);
  if (value === undefined) return { diagnostics };
  const twin = collateTwinSchema.parse({ ...value.twin, behind, inputs, maxWaste, maxBatchSize });
  return { diagnostics, value: { file: value.file, twin } };
};

/** The `model.py` of a collate step for Triton's python backend. Its constants are the options of the native twin. */
export const collatePython = (
  options: CollateTwinOptions,
  { holdErrors }: Pick<ModelOptions, "holdErrors">,
): string =>
  printPython(collateTemplate, {
    ...tokenizerConstants(options, options.inputs),
    holdErrors,
    behind: literal(options.behind),
    maxBatch: String(options.maxBatchSize),
    maxWaste: String(options.maxWaste),
    dtype: `np.${options.ids.toLowerCase()}`,
    hasOffsets: options.inputs.includes("offsets"),
  });
