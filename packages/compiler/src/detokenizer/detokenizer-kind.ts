import { cleanUpReplacements, detokenizerForms, type DetokenizerTwinOptions } from "@tritype/manifest";
import { emitVersions, readVersions } from "../authored-versions.ts";
import { batchesByDefault } from "../emit/batches-by-default.ts";
import { fuseForm, perVersion } from "../check/check-option-forms.ts";
import { invalidOption } from "../tokenizer/report-tokenizer.ts";
import type { ModelOptions, StepKind } from "../step-kind.ts";
import { tokenizersRequirement } from "../tokenizer/tokenizer-kind.ts";
import { onCpu } from "../python/on-cpu.ts";
import { textFile } from "../tree.ts";
import { readDetokenizer } from "./read-detokenizer.ts";
import { detokenizerTemplate } from "../generated/python.ts";
import { printPython } from "../python-template.ts";
import { literal } from "../tokenizer/python-parts.ts";

/** Token ids → text: a python model on Hugging Face `tokenizers`, and its native twin. */
export const detokenizerKind: StepKind = {
  kind: "detokenizer",
  refusals: "held",
  answersOnce: true,
  isAlwaysBatched: () => true,
  options: { ...detokenizerForms, ...perVersion({ from: detokenizerForms.from }), ...fuseForm },
  invalidOption,
  read(step, context) {
    const { diagnostics, value: versions } = readVersions(step, "from", (version) =>
      readDetokenizer(version, context.host),
    );
    if (versions === undefined) return { diagnostics };
    const latest = [...versions.all.values()].at(-1);
    return {
      diagnostics,
      value: {
        model: (options) => ({
          config: onCpu(batchesByDefault(context)),
          ...emitVersions(versions, ({ file, twin }) => ({
            files: new Map([
              ["model.py", textFile(detokenizerPython(twin, options))],
              ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
            ]),
            twin: { kind: "detokenizer", options: { ...twin } },
          })),
          requirements: ["numpy", tokenizersRequirement],
        }),
        sharesPython: versions.listed ? `\`${step.name}\` has \`versions\`` : true,
        textPart: { kind: "text" },
        accepts: latest === undefined ? {} : { ids: { minimum: 0, maximum: latest.file.largest.id } },
      },
    };
  },
};

/** The `model.py` of a detokenizer step for Triton's python backend. Its constants are the options of the native twin. */
export const detokenizerPython = (
  { step, padId, cleanUp, skipSpecialTokens }: DetokenizerTwinOptions,
  { holdErrors }: Pick<ModelOptions, "holdErrors">,
): string =>
  printPython(detokenizerTemplate, {
    holdErrors,
    step: literal(step),
    padId: padId === null ? undefined : String(padId),
    cleanUp: cleanUp ? cleanUpConstant : undefined,
    skipSpecialTokens: skipSpecialTokens ? "True" : "False",
  });

const cleanUpConstant = `[  # each text and its replacement, in this order
${cleanUpReplacements.map(([from, to]) => `    (${literal(from)}, ${literal(to)}),\n`).join("")}]`;
