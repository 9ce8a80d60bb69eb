import { invariant, type StepDefinition } from "@tritype/core";
import {
  type DetokenizerTwinOptions,
  detokenizerOptionsSchema,
  detokenizerTwinSchema,
} from "@tritype/manifest";
import { authoredVersions, checkVersions } from "../authored-versions.ts";
import { emitVersions } from "../emit-versions.ts";
import type { StepContext, StepKind, StepVersion } from "../step-kind.ts";
import { findPadToken } from "../tokenizer/pad-token.ts";
import { readTokenizerFile } from "../tokenizer/tokenizer-file.ts";
import { tokenizersRequirement } from "../tokenizer/tokenizer-kind.ts";
import { textFile } from "../tree.ts";
import { checkDetokenizer } from "./check-detokenizer.ts";
import { detokenizerPython } from "./detokenizer-python.ts";

/** Token ids → text: a python model on Hugging Face `tokenizers`, and its native twin. */
export const detokenizerKind: StepKind = {
  kind: "detokenizer",
  refusals: "held",
  options: ["from", "versions", "skipSpecialTokens", "cleanUp", "ids"],
  check: (step, { host }) => checkVersions(step, "from", (version) => checkDetokenizer(version, host)),
  accepts(step, { host }) {
    const { options } = authoredVersions(step)?.at(-1)?.step ?? step;
    const file = readTokenizerFile(host, detokenizerOptionsSchema.parse(options).from);
    return file.kind === "tokenizer" ? { ids: { minimum: 0, maximum: file.largest.id } } : {};
  },
  emit: (step, context) => ({
    config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
    ...emitVersions(step, (version) => emitVersion(version, context)),
    requirements: ["numpy", tokenizersRequirement],
  }),
};

const emitVersion = (step: StepDefinition, context: StepContext): StepVersion => {
  const { from, cleanUp, ...options } = detokenizerOptionsSchema.parse(step.options);
  const file = readTokenizerFile(context.host, from);
  invariant(file.kind === "tokenizer", `detokenizer ${step.name} was emitted without its check`);
  const twin: DetokenizerTwinOptions = detokenizerTwinSchema.parse({
    ...options,
    step: step.name,
    cleanUp: cleanUp ?? file.config.cleanUp ?? false,
    padId: findPadToken(file)?.id ?? null,
  });
  const python = detokenizerPython(twin, context);
  return {
    files: new Map([
      ["model.py", textFile(python)],
      ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
    ]),
    twin: { kind: "detokenizer", options: { ...twin } },
  };
};
