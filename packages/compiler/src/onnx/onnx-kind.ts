import { hasErrors } from "@tritype/core";
import { authoredVersions, checkVersions } from "../authored-versions.ts";
import type { StepKind } from "../step-kind.ts";
import { takenTokens } from "./taken-tokens.ts";
import { checkOnnxFile, checkSameOutputs, onnxFiles, onnxOutputs } from "./onnx-file.ts";

/** An ONNX file on Triton's ONNX Runtime backend, or one for each version. */
export const onnxKind: StepKind = {
  kind: "onnx",
  options: ["file", "versions"],
  check(step, context) {
    const found = checkVersions(step, "file", (version) => checkOnnxFile(version, context));
    return hasErrors(found) ? found : [...found, ...checkSameOutputs(step, context)];
  },
  takesTokens: takenTokens,
  emit(step, context) {
    const listed = authoredVersions(step);
    const [outputs] = onnxOutputs(step, context);
    return {
      config: { backend: "onnxruntime", default_model_filename: "model.onnx" },
      files: listed === undefined ? onnxFiles(step, context) : new Map(),
      ...(listed === undefined
        ? {}
        : {
            versions: new Map(
              listed.map(({ number, step: version }) => [number, { files: onnxFiles(version, context) }]),
            ),
          }),
      outputs: outputs?.outputs ?? {},
    };
  },
};
