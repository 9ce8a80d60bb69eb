import type { Json } from "@tritype/core";
import {
  type CollateTwinOptions,
  type ManifestChat,
  tokenizerForms,
  type TokenizerTwinOptions,
} from "@tritype/manifest";
import { emitVersions, readVersions } from "../authored-versions.ts";
import { fuseForm, perVersion } from "../check/check-option-forms.ts";
import { batchesByDefault } from "../emit/batches-by-default.ts";
import { knownPin } from "../emit/docker/known-packages.ts";
import type { AcceptedValues, ModelOptions, StepKind, StepVersion } from "../step-kind.ts";
import { onCpu } from "../python/on-cpu.ts";
import { textFile } from "../tree.ts";
import { readTokenizer, type ReadTokenizer } from "./read-tokenizer.ts";
import { invalidOption } from "./report-tokenizer.ts";
import { tokenizerPython } from "./tokenizer-python.ts";

/** Has the same Rust core as npm's `tokenizers`, which runs the twin. */
export const tokenizersRequirement: string = knownPin("tokenizers");

/** Text → token ids: a python model on Hugging Face `tokenizers`, and its native twin. */
export const tokenizerKind: StepKind = {
  kind: "tokenizer",
  refusals: "held",
  answersOnce: true,
  isAlwaysBatched: () => true,
  options: { ...tokenizerForms, ...perVersion({ from: tokenizerForms.from }), ...fuseForm },
  invalidOption,
  read(step, context) {
    const { diagnostics, value: versions } = readVersions(step, "from", (version) =>
      readTokenizer(version, context.host),
    );
    if (versions === undefined) return { diagnostics };
    const latest = [...versions.all.values()].at(-1);
    return {
      diagnostics,
      value: {
        model: (options) => ({
          config: onCpu(batchesByDefault(context)),
          ...emitVersions(versions, (version) => emitVersion(version, options)),
          requirements: ["numpy", tokenizersRequirement],
        }),
        makesTokens(version) {
          const made = versions.all.get(version);
          if (made === undefined) return undefined;
          const { file, twin } = made;
          const { path, largest } = file;
          return { output: "input_ids", file: path, largest, pad: twin.pad, maxLength: twin.maxLength };
        },
        sharesPython: versions.listed ? `\`${step.name}\` has \`versions\`` : true,
        textPart: { kind: "tokens", chat: latest === undefined ? undefined : chatOf(latest) },
        accepts: latest === undefined ? {} : acceptedLanguages(latest.twin),
      },
    };
  },
};

/** The chat template, with the special tokens that this step adds. */
const chatOf = ({ file: { chat }, twin }: ReadTokenizer): ManifestChat | undefined =>
  chat === undefined || twin.addSpecialTokens ? chat : { ...chat, before: [], after: [] };

const emitVersion = ({ file, twin }: ReadTokenizer, options: ModelOptions): StepVersion => ({
  files: new Map([
    ["model.py", textFile(tokenizerPython(twin, options))],
    ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
  ]),
  twin: { kind: "tokenizer", options: twinJson(twin) },
});

/** The names of languages in requests. */
export const acceptedLanguages = ({
  languages,
}: Pick<TokenizerTwinOptions, "languages">): Readonly<Record<string, AcceptedValues>> => {
  if (languages === undefined) return {};
  const named = { enum: Object.keys(languages.ids) };
  return {
    ...(languages.source ? { source_language: named } : {}),
    ...(languages.target ? { target_language: named } : {}),
  };
};

/** The options as the manifest contains them. */
export const twinJson = (
  options: TokenizerTwinOptions | CollateTwinOptions,
): Readonly<Record<string, Json>> => {
  const { languages, ...rest } = options;
  return {
    ...rest,
    pad: { ...rest.pad },
    ...(languages === undefined ? {} : { languages: { ...languages } }),
  };
};
