import {
  answersTemplate,
  decodingTemplate,
  loopTemplate,
  modelTemplate,
  piecesTemplate,
  rowsTemplate,
  sessionsTemplate,
  streamTemplate,
} from "../generated/python.ts";
import { mapDefined } from "@tritype/core";
import type { GenerateTwinOptions } from "@tritype/manifest";
import { onnxFiles } from "../onnx/onnx-file.ts";
import { onCpu } from "../python/on-cpu.ts";
import { printPython } from "../python-template.ts";
import type { AcceptedValues, StepKind, TextPart, Twin } from "../step-kind.ts";
import { tokenizersRequirement } from "../tokenizer/tokenizer-kind.ts";
import { textFile, type TreeFile } from "../tree.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import { generateForms } from "./generate-options.ts";
import { readGeneration } from "./read-generation.ts";
import type { Streaming } from "./read-stream.ts";

/** The loop around an exported language model: a Python model on onnxruntime, and its native twin. */
export const generateKind: StepKind = {
  kind: "generate",
  refusals: "held",
  isAlwaysBatched: () => true,
  options: generateForms,
  invalidOption: (fault) => diagnoseGenerate("generate/invalid-option", fault),
  read(step, context) {
    const { diagnostics, value } = readGeneration(step, context);
    if (value === undefined) return { diagnostics };
    const { options, files, stream } = value;
    const { encoder, first, vocabulary, positions } = options.exported;
    const name = encoder?.file ?? first.file;
    return {
      diagnostics,
      value: {
        takesTokens: () => ({
          file: files.get(name)?.file ?? name,
          tokens: new Map([["input_ids", vocabulary]]),
          positions: positions ?? undefined,
        }),
        accepts: Object.fromEntries(
          mapDefined(options.perRequest, (parameter) => acceptedParameter(parameter, options)),
        ),
        streams: stream !== undefined,
        textPart: options.settings.num_return_sequences > 1 ? undefined : textPart(options),
        model: ({ holdErrors }) => {
          const exported = [
            ["decoding.py", textFile(printPython(decodingTemplate, {}))],
            ["rows.py", textFile(printPython(rowsTemplate, {}))],
            ["sessions.py", textFile(printPython(sessionsTemplate, {}))],
            ...[...files].flatMap(([placed, file]) => [...onnxFiles(file, placed)]),
          ] as const;
          // The version that the release's own backend uses for ONNX files.
          const requirements = ["numpy", `onnxruntime==${context.release.onnxruntime}`];
          // Requests that wait for the same execution run together, regardless of their lengths.
          const together = {
            dynamic_batching: {},
            input: ["input_ids", "attention_mask"].map((name) => ({ name, allow_ragged_batch: true })),
          };
          if (stream !== undefined)
            return {
              config: {
                ...onCpu(),
                ...together,
                max_batch_size: Number(step.options["maxBatchSize"] ?? 32),
                model_transaction_policy: { decoupled: true },
              },
              files: new Map([...streamFiles(stream, holdErrors), ...exported]),
              requirements:
                stream.tokenizer === undefined ? requirements : [...requirements, tokenizersRequirement],
              twin: {
                kind: "generate-stream",
                options: { ...stream.options } as unknown as Twin["options"],
              },
            };
          return {
            config: { ...onCpu(), ...together },
            files: new Map([
              ["model.py", textFile(printPython(modelTemplate, { holdErrors }))],
              ["generate.json", textFile(printJson(options))],
              ...exported,
            ]),
            requirements,
            twin: { kind: "generate", options: { ...options } as unknown as Twin["options"] },
          };
        },
      },
    };
  },
};

/** The settings may still be refused, because they are not parsed here. */
const textPart = ({ settings, perRequest }: GenerateTwinOptions): TextPart => {
  const { kind, max_new_tokens, min_new_tokens, eos_token_id, temperature, top_k, top_p, seed } = settings;
  return {
    kind: "generation",
    settings: { kind, max_new_tokens, min_new_tokens, eos_token_id, temperature, top_k, top_p, seed },
    perRequest,
  };
};

const streamFiles = (
  { options, tokenizer }: Streaming,
  holdErrors: boolean,
): readonly (readonly [string, TreeFile])[] => {
  const text = tokenizer !== undefined;
  return [
    ["model.py", textFile(printPython(streamTemplate, { holdErrors, text }))],
    ["loop.py", textFile(printPython(loopTemplate, {}))],
    ["answers.py", textFile(printPython(answersTemplate, { text }))],
    ["generate.json", textFile(printJson(options))],
    ...(tokenizer === undefined
      ? []
      : ([
          ["pieces.py", textFile(printPython(piecesTemplate, {}))],
          ["tokenizer.json", { kind: "copy", from: tokenizer.path, bytes: tokenizer.bytes }],
        ] as const)),
  ];
};

/** JSON with each list or object on one line if it contains no other lists or objects. */
const printJson = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(/[[{]\n[^[\]{}]*[\]}]/g, (text) => text.replaceAll(/\n\s*/g, " "))}\n`;

/**
 * The values that a request may pass for the parameter with this name, as checked by the emitted `model.py`; undefined means any value of
 * the dtype.
 */
const acceptedParameter = (
  name: string,
  { exported, settings }: Pick<GenerateTwinOptions, "exported" | "settings">,
): AcceptedValues | undefined => {
  if (name === "forced_bos_token_id") return { minimum: 0, maximum: exported.scored - 1 };
  if (name === "max_new_tokens") return { minimum: 1, maximum: settings.max_new_tokens };
  return limits.get(name);
};

const limits: ReadonlyMap<string, AcceptedValues> = new Map([
  ["min_new_tokens", { minimum: 0 }],
  ["no_repeat_ngram_size", { minimum: 0 }],
  ["stop", { minLength: 1 }],
  ["top_k", { minimum: 0 }],
  ["repetition_penalty", { exclusiveMinimum: 0 }],
  ["temperature", { exclusiveMinimum: 0 }],
  ["top_p", { exclusiveMinimum: 0, maximum: 1 }],
]);
