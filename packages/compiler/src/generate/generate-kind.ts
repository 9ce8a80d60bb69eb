import { invariant } from "@tritype/core";
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
  check: (step, context) => readGeneration(step, context).diagnostics,
  takesTokens(step, context) {
    const { options, files } = readGeneration(step, context);
    if (options === undefined) return undefined;
    const { encoder, first, vocabulary, positions } = options.exported;
    const name = encoder?.file ?? first.file;
    return {
      file: files.get(name) ?? name,
      tokens: new Map([["input_ids", vocabulary]]),
      positions: positions ?? undefined,
    };
  },
  accepts(step, context) {
    const { options } = readGeneration(step, context);
    return options === undefined
      ? {}
      : Object.fromEntries(
          options.perRequest.flatMap((name) => {
            const values = acceptedParameter(name, options);
            return values === undefined ? [] : [[name, values]];
          }),
        );
  },
  emit(step, context) {
    const { options, files } = readGeneration(step, context);
    invariant(options !== undefined, `generate step ${step.name} was emitted without its check`);
    return {
      config: {
        backend: "python",
        instance_group: [{ kind: "KIND_CPU", count: 1 }],
        // Requests that wait when a loop ends go into the next one, whatever their lengths.
        dynamic_batching: {},
        input: ["input_ids", "attention_mask"].map((name) => ({ name, allow_ragged_batch: true })),
      },
      files: new Map([
        ["model.py", textFile(printPython(modelTemplate, context))],
        ["decoding.py", textFile(printPython(decodingTemplate, {}))],
        ["sessions.py", textFile(printPython(sessionsTemplate, {}))],
        ["generate.json", textFile(printJson(options))],
        ...[...files].flatMap(([name, file]) => [
          ...onnxFiles({ ...step, options: { file } }, context, name),
        ]),
      ]),
      // As the release's own backend for ONNX files.
      requirements: ["numpy", `onnxruntime==${context.release.onnxruntime}`],
      twin: { kind: "generate", options: { ...options } as unknown as Twin["options"] },
    };
  },
};

/** JSON with lists and objects that hold no others on one line each. */
const printJson = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(/[[{]\n[^[\]{}]*[\]}]/g, (text) => text.replaceAll(/\n\s*/g, " "))}\n`;
