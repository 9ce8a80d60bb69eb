import type { Diagnostic, StepDefinition } from "@tritype/core";
import { detokenizerOptionsSchema } from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import { brokenForIds } from "../tokenizer/broken-part.ts";
import { fileProblem, invalidOptions, labels } from "../tokenizer/report-tokenizer.ts";
import { diagnose as diagnoseTokenizer } from "../tokenizer/tokenizer-diagnostics.ts";
import { readTokenizerFile, type TokenizerFile } from "../tokenizer/tokenizer-file.ts";
import { diagnose } from "./detokenizer-diagnostics.ts";

/** Holds a detokenizer's options against its file. */
export const checkDetokenizer = (step: StepDefinition, host: CompilerHost): readonly Diagnostic[] => {
  const options = detokenizerOptionsSchema.safeParse(step.options);
  if (!options.success) return invalidOptions(step, options.error);
  const file = readTokenizerFile(host, options.data.from);
  if (file.kind !== "tokenizer") return [fileProblem(step, file)];
  const broken = brokenForIds(file.parts);
  if (broken !== undefined)
    return [
      diagnoseTokenizer("tokenizer/broken-part", {
        with: { path: file.path, ...broken },
        labels: labels(step, `uses ${file.path}`),
      }),
    ];
  const example = usualDecoders[file.modelType];
  if (file.hasDecoder || example === undefined) return [];
  return [
    diagnose("detokenizer/no-decoder", {
      with: { path: file.path, step: step.name, model: file.modelType, example },
      labels: labels(step, `uses ${file.path}`),
    }),
  ];
};

/** What most files of a model have; words of WordLevel are joined by spaces as they are. */
const usualDecoders: Readonly<Partial<Record<TokenizerFile["modelType"], string>>> = {
  BPE: '{ "type": "ByteLevel" }',
  WordPiece: '{ "type": "WordPiece", "prefix": "##", "cleanup": true }',
  Unigram: '{ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true }',
};
