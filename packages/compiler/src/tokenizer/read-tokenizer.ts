import type { Diagnostic, StepDefinition } from "@tritype/core";
import {
  addedLength,
  type Languages,
  type PadToken,
  specialCount,
  type TokenizerStepOptions,
  tokenizerOptionsSchema,
  type TokenizerTwinOptions,
  tokenizerTwinSchema,
} from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import { labels } from "../graph/infer-graph.ts";
import type { Found } from "../step-kind.ts";
import { brokenForTexts } from "./broken-part.ts";
import { findLanguages } from "./find-languages.ts";
import { findPadToken } from "./pad-token.ts";
import { fileProblem, invalidOptions } from "./report-tokenizer.ts";
import { diagnose } from "./tokenizer-diagnostics.ts";
import { readTokenizerFile, type TokenizerFile } from "./tokenizer-file.ts";
import { transformersConfig } from "./transformers-config.ts";

/** A tokenizer step: its file, and all constants in its model. */
export interface ReadTokenizer {
  readonly file: TokenizerFile;
  readonly twin: TokenizerTwinOptions;
}

/** Reads a tokenizer's options and files, and compares them. */
export const readTokenizer = (step: StepDefinition, host: CompilerHost): Found<ReadTokenizer> => {
  const options = tokenizerOptionsSchema.safeParse(step.options);
  if (!options.success) return { diagnostics: invalidOptions(step, options.error) };
  const file = readTokenizerFile(host, options.data.from);
  const padding = checkPadding(step, options.data);
  if (file.kind !== "tokenizer") return { diagnostics: [...padding, fileProblem(step, file)] };
  const { diagnostics, value } = readWith(step, options.data, file, host);
  return { diagnostics: [...padding, ...diagnostics], value };
};

const checkPadding = (
  step: StepDefinition,
  { padding, maxLength }: TokenizerStepOptions,
): readonly Diagnostic[] => {
  const problem = (reason: string, advice: string): readonly Diagnostic[] => [
    diagnose("tokenizer/padding-length", {
      with: { step: step.name, reason, advice },
      labels: labels(step, "padded here"),
    }),
  ];
  if (typeof padding === "string") return [];
  if ("multipleOf" in padding) {
    const { multipleOf } = padding;
    const padded = Math.ceil(maxLength / multipleOf) * multipleOf;
    if (padded === maxLength) return [];
    return problem(
      `rows of ${maxLength} tokens would be padded to ${padded}, over \`maxLength\``,
      `set \`maxLength\` to a multiple of ${multipleOf}`,
    );
  }
  const { buckets } = padding;
  const list = buckets.join(", ");
  if (buckets.some((bucket, index) => bucket <= (buckets[index - 1] ?? 0)))
    return problem(`the buckets ${list} are not in ascending order`, "sort them and list each one once");
  if (buckets.at(-1) === maxLength) return [];
  return problem(
    `the buckets ${list} do not end at \`maxLength\`, ${maxLength}`,
    `make ${maxLength} the last bucket`,
  );
};

const readWith = (
  step: StepDefinition,
  options: TokenizerStepOptions,
  file: TokenizerFile,
  host: CompilerHost,
): Found<ReadTokenizer> => {
  const { maxLength, from: folder } = options;
  const { path } = file;
  const parts = options.pair ? file.template.pair : file.template.single;
  const languages = findLanguages(options, file);
  const named = languages === undefined || "problem" in languages ? undefined : languages;
  const special = (options.addSpecialTokens ? specialCount(parts) : 0) + addedLength({ languages: named });
  const limit = file.config.modelMaxLength ?? Infinity;
  const atFile = labels(step, `uses ${path}`);
  const atLength = labels(step, `\`maxLength\` is ${maxLength}`);
  const pad = findPadToken(file);
  const found: Diagnostic[] = [];
  const broken = brokenForTexts(file.parts, options.pair);
  if (broken !== undefined)
    found.push(diagnose("tokenizer/broken-part", { with: { path, ...broken }, labels: atFile }));
  if (languages !== undefined && "problem" in languages) {
    const { problem } = languages;
    found.push(
      diagnose("tokenizer/no-languages", { with: { step: step.name, path, problem }, labels: atFile }),
    );
  }
  if (pad === undefined)
    found.push(diagnose("tokenizer/no-pad-token", { with: { path, folder }, labels: atFile }));
  const config = transformersConfig(host, folder);
  if (pad !== undefined && config?.padTokenId !== undefined && config.padTokenId !== pad.id) {
    const parameters = { path, token: pad.token, id: pad.id, config: config.path, other: config.padTokenId };
    found.push(diagnose("tokenizer/pad-id-differs", { with: parameters, labels: atFile }));
  }
  if (maxLength <= special) {
    const parameters = { step: step.name, maxLength, special, least: special + 1 };
    found.push(diagnose("tokenizer/max-length-too-small", { with: parameters, labels: atLength }));
  }
  if (maxLength > limit) {
    const parameters = { step: step.name, maxLength, limit };
    found.push(diagnose("tokenizer/max-length-over-model", { with: parameters, labels: atLength }));
  }
  if (file.dropout > 0)
    found.push(diagnose("tokenizer/random", { with: { path, dropout: file.dropout }, labels: atFile }));
  if (lacksUnknownToken(file))
    found.push(
      diagnose("tokenizer/no-unknown-token", { with: { path, model: file.modelType }, labels: atFile }),
    );
  return pad === undefined
    ? { diagnostics: found }
    : { diagnostics: found, value: { file, twin: twinOptions(step, options, file, pad, named) } };
};

const twinOptions = (
  step: StepDefinition,
  options: TokenizerStepOptions,
  file: TokenizerFile,
  pad: PadToken,
  languages: Languages | undefined,
): TokenizerTwinOptions =>
  tokenizerTwinSchema.parse({
    ...options,
    languages,
    step: step.name,
    pad: { ...pad, side: options.paddingSide ?? pad.side },
    truncationSide: options.truncationSide ?? file.config.truncationSide ?? file.truncationSide ?? "right",
  });

const lacksUnknownToken = (file: TokenizerFile): boolean =>
  file.unknownToken === null ||
  (file.unknownToken !== undefined && file.tokenId(file.unknownToken) === undefined);
