import type { CollateTwinOptions } from "@tritype/manifest";
import { collateTemplate } from "../generated/python.ts";
import { printPython } from "../python-template.ts";
import type { ModelOptions } from "../step-kind.ts";
import { literal, tokenizerConstants } from "../tokenizer/python-parts.ts";

/** The `model.py` of a collate step for Triton's python backend. Its constants are the options of the native twin. */
export const collatePython = (options: CollateTwinOptions, { holdErrors }: ModelOptions): string =>
  printPython(collateTemplate, {
    ...tokenizerConstants(options, options.inputs),
    holdErrors,
    behind: literal(options.behind),
    maxBatch: String(options.maxBatchSize),
    maxWaste: String(options.maxWaste),
    dtype: `np.${options.ids.toLowerCase()}`,
    hasOffsets: options.inputs.includes("offsets"),
  });
