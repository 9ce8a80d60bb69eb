import { invariant, type Json, type StepDefinition } from "@tritype/core";
import { authoredVersions, checkVersions } from "../authored-versions.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { emitVersions } from "../emit-versions.ts";
import type { AcceptedValues, StepContext, StepKind, StepVersion } from "../step-kind.ts";
import { textFile } from "../tree.ts";
import { checkTokenizer } from "./check-tokenizer.ts";
import { findLanguages } from "./find-languages.ts";
import { findPadToken } from "./pad-token.ts";
import { readTokenizerFile, type TokenizerFile } from "./tokenizer-file.ts";
import {
  type CollateTwinOptions,
  type TokenizerStepOptions,
  type TokenizerTwinOptions,
  tokenizerOptionsSchema,
  tokenizerTwinSchema,
} from "@tritype/manifest";
import { tokenizerPython } from "./tokenizer-python.ts";

/** PyPI `tokenizers` with the Rust core of npm `tokenizers` 0.23.2, which runs the twin. */
export const tokenizersRequirement = "tokenizers==0.23.2";

/** Text → token ids: a python model on Hugging Face `tokenizers`, and its native twin. */
export const tokenizerKind: StepKind = {
  kind: "tokenizer",
  refusals: "held",
  options: [
    "from",
    "versions",
    "maxLength",
    "padding",
    "truncation",
    "truncationSide",
    "paddingSide",
    "addSpecialTokens",
    "prefix",
    "pair",
    "ids",
    "tokenTypeIds",
    "offsets",
    "specialTokensMask",
    "languages",
    "stride",
  ],
  check: (step, { host }) => checkVersions(step, "from", (version) => checkTokenizer(version, host)),
  makesTokens(step, { host }) {
    const { options, file } = readChecked(step, host);
    const pad = findPadToken(file);
    invariant(pad !== undefined, `${step.name} was asked for its tokens without its check`);
    const { path, largest } = file;
    return { output: "input_ids", file: path, largest, pad, maxLength: options.maxLength };
  },
  accepts(step, { host }) {
    return acceptedLanguages(twinOptionsOf(authoredVersions(step)?.at(-1)?.step ?? step, host));
  },
  emit: (step, context) => ({
    config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
    ...emitVersions(step, (version) => emitVersion(version, context)),
    requirements: ["numpy", tokenizersRequirement],
  }),
};

const emitVersion = (step: StepDefinition, context: StepContext): StepVersion => {
  const { options, file } = readChecked(step, context.host);
  const twin = twinOptions(step, options, file);
  const python = tokenizerPython(twin, context);
  return {
    files: new Map([
      ["model.py", textFile(python)],
      ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
    ]),
    twin: { kind: "tokenizer", options: twinJson(twin) },
  };
};

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

/** As in a manifest. */
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

/** All that a checked tokenizer's model has as constants. */
export const twinOptionsOf = (step: StepDefinition, host: CompilerHost): TokenizerTwinOptions => {
  const { options, file } = readChecked(step, host);
  return twinOptions(step, options, file);
};

const readChecked = (
  step: StepDefinition,
  host: CompilerHost,
): { readonly options: TokenizerStepOptions; readonly file: TokenizerFile } => {
  const options = tokenizerOptionsSchema.parse(step.options);
  const file = readTokenizerFile(host, options.from);
  invariant(file.kind === "tokenizer", `tokenizer ${step.name} was emitted without its check`);
  return { options, file };
};

const twinOptions = (
  step: StepDefinition,
  options: TokenizerStepOptions,
  file: TokenizerFile,
): TokenizerTwinOptions =>
  tokenizerTwinSchema.parse({
    ...options,
    languages: findLanguages(options, file),
    step: step.name,
    pad: {
      ...findPadToken(file),
      ...(options.paddingSide === undefined ? {} : { side: options.paddingSide }),
    },
    truncationSide: options.truncationSide ?? file.config.truncationSide ?? file.truncationSide ?? "right",
  });
