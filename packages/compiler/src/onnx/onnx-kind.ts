import { hasErrors } from "@tritype/core";
import { checkVersions } from "../authored-versions.ts";
import { checkParameters } from "../backends/check-backend-step.ts";
import { emitVersions } from "../emit-versions.ts";
import type { StepKind } from "../step-kind.ts";
import { takenTokens } from "./taken-tokens.ts";
import { checkOnnxFile, checkSameOutputs, onnxFiles, onnxOutputs } from "./onnx-file.ts";

/** An ONNX file on Triton's ONNX Runtime backend, or one for each version. */
export const onnxKind: StepKind = {
  kind: "onnx",
  options: ["file", "versions"],
  check(step, context) {
    const found = [
      ...checkVersions(step, "file", (version) => checkOnnxFile(version, context)),
      ...checkParameters(step, { backend: "onnxruntime", called: "ONNX Runtime" }, context.release.container),
    ];
    return hasErrors(found) ? found : [...found, ...checkSameOutputs(step, context)];
  },
  takesTokens: takenTokens,
  emit(step, context) {
    const [outputs] = onnxOutputs(step, context);
    return {
      config: { backend: "onnxruntime", default_model_filename: "model.onnx" },
      ...emitVersions(step, (version) => ({ files: onnxFiles(version, context) })),
      outputs: outputs?.outputs ?? {},
    };
  },
};
