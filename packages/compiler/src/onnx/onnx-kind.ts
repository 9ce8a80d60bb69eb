import { hasErrors } from "@tritype/core";
import { emitVersions, readVersions } from "../authored-versions.ts";
import { checkParameters } from "../backends/check-backend-step.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import type { StepKind } from "../step-kind.ts";
import { checkSameOutputs, onnxFiles, readOnnxFile } from "./onnx-file.ts";
import { takenTokens } from "./taken-tokens.ts";

const options = perVersion({ file: optionForms.path });

/** An ONNX file on Triton's ONNX Runtime backend, or one for each version. */
export const onnxKind: StepKind = {
  kind: "onnx",
  options,
  read(step, context) {
    const { diagnostics, value: versions } = readVersions(step, "file", (version) =>
      readOnnxFile(version, optionsOf(version, options).file, context),
    );
    const found = [
      ...diagnostics,
      ...checkParameters(step, { backend: "onnxruntime", called: "ONNX Runtime" }, context.release.container),
    ];
    if (versions === undefined || hasErrors(found)) return { diagnostics: found };
    const [first] = versions.all.values();
    return {
      diagnostics: [...found, ...checkSameOutputs(step, versions.all)],
      value: {
        takesTokens(version) {
          const taker = versions.all.get(version);
          return taker && takenTokens(taker, context.host);
        },
        model: () => ({
          config: { backend: "onnxruntime", default_model_filename: "model.onnx" },
          ...emitVersions(versions, (version) => ({ files: onnxFiles(version) })),
          outputs: first?.outputs ?? {},
        }),
      },
    };
  },
};
