import { decodingTemplate, modelTemplate, sessionsTemplate } from "../generated/python.ts";
import { onnxFiles } from "../onnx/onnx-file.ts";
import { printPython } from "../python-template.ts";
import type { StepKind, Twin } from "../step-kind.ts";
import { textFile } from "../tree.ts";
import { acceptedParameter } from "./accepted-parameter.ts";
import { generateOptionNames } from "./generate-options.ts";
import { readGeneration } from "./read-generation.ts";

/** The loop around an exported language model: a Python model on onnxruntime, and its native twin. */
export const generateKind: StepKind = {
  kind: "generate",
  refusals: "held",
  options: generateOptionNames,
  read(step, context) {
    const { diagnostics, value } = readGeneration(step, context);
    if (value === undefined) return { diagnostics };
    const { options, files } = value;
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
          options.perRequest.flatMap((parameter) => {
            const values = acceptedParameter(parameter, options);
            return values === undefined ? [] : [[parameter, values]];
          }),
        ),
        model: ({ holdErrors }) => ({
          config: {
            backend: "python",
            instance_group: [{ kind: "KIND_CPU", count: 1 }],
            // Requests that are waiting when a loop ends join the next one, whatever their lengths.
            dynamic_batching: {},
            input: ["input_ids", "attention_mask"].map((input) => ({
              name: input,
              allow_ragged_batch: true,
            })),
          },
          files: new Map([
            ["model.py", textFile(printPython(modelTemplate, { holdErrors }))],
            ["decoding.py", textFile(printPython(decodingTemplate, {}))],
            ["sessions.py", textFile(printPython(sessionsTemplate, {}))],
            ["generate.json", textFile(printJson(options))],
            ...[...files].flatMap(([placed, file]) => [...onnxFiles(file, placed)]),
          ]),
          // The same as the release's own backend uses for ONNX files.
          requirements: ["numpy", `onnxruntime==${context.release.onnxruntime}`],
          twin: { kind: "generate", options: { ...options } as unknown as Twin["options"] },
        }),
      },
    };
  },
};

/** JSON in which lists and objects without nested ones are on one line. */
const printJson = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(/[[{]\n[^[\]{}]*[\]}]/g, (text) => text.replaceAll(/\n\s*/g, " "))}\n`;
