import type { StepDefinition } from "@tritype/core";
import {
  detokenizerOptionsSchema,
  type DetokenizerTwinOptions,
  detokenizerTwinSchema,
} from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import { labels } from "../graph/infer-graph.ts";
import type { Found } from "../step-kind.ts";
import { brokenForIds } from "../tokenizer/broken-part.ts";
import { findPadToken } from "../tokenizer/pad-token.ts";
import { fileProblem, invalidOptions } from "../tokenizer/report-tokenizer.ts";
import { diagnose as diagnoseTokenizer } from "../tokenizer/tokenizer-diagnostics.ts";
import { readTokenizerFile, type TokenizerFile } from "../tokenizer/tokenizer-file.ts";
import { diagnose } from "./detokenizer-diagnostics.ts";

/** A detokenizer step: its file, and all constants in its model. */
export interface ReadDetokenizer {
  readonly file: TokenizerFile;
  readonly twin: DetokenizerTwinOptions;
}

/** Reads a detokenizer's options and file, and compares them. */
export const readDetokenizer = (step: StepDefinition, host: CompilerHost): Found<ReadDetokenizer> => {
  const options = detokenizerOptionsSchema.safeParse(step.options);
  if (!options.success) return { diagnostics: invalidOptions(step, options.error) };
  const { from, cleanUp, ...rest } = options.data;
  const file = readTokenizerFile(host, from);
  if (file.kind !== "tokenizer") return { diagnostics: [fileProblem(step, file)] };
  const at = { labels: labels(step, `uses ${file.path}`) };
  const broken = brokenForIds(file.parts);
  if (broken !== undefined)
    return {
      diagnostics: [
        diagnoseTokenizer("tokenizer/broken-part", { with: { path: file.path, ...broken }, ...at }),
      ],
    };
  const twin = detokenizerTwinSchema.parse({
    ...rest,
    step: step.name,
    cleanUp: cleanUp ?? file.config.cleanUp ?? false,
    padId: findPadToken(file)?.id ?? null,
  });
  const example = usualDecoders[file.modelType];
  const diagnostics =
    file.hasDecoder || example === undefined
      ? []
      : [
          diagnose("detokenizer/no-decoder", {
            with: { path: file.path, step: step.name, model: file.modelType, example },
            ...at,
          }),
        ];
  return { diagnostics, value: { file, twin } };
};

/** The usual decoder for each model; WordLevel words are simply joined with spaces. */
const usualDecoders: Readonly<Partial<Record<TokenizerFile["modelType"], string>>> = {
  BPE: '{ "type": "ByteLevel" }',
  WordPiece: '{ "type": "WordPiece", "prefix": "##", "cleanup": true }',
  Unigram: '{ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true }',
};
