import { type Diagnostic, decodeUtf8, type StepDefinition } from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import { batchesByDefault } from "../emit/batches-by-default.ts";
import { placedFile } from "../files/placed-files.ts";
import { openFile } from "../open-file.ts";
import type { StepContext, StepKind } from "../step-kind.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";
import { looksLikeOnnx, type StrangeFile, strangeFile } from "./file-kind.ts";
import { notReadable, readModelFile } from "./model-file.ts";
import { readBackendStep } from "./read-backend-step.ts";

const options = perVersion({ file: optionForms.path, standIn: optionForms.path });

/** A model in OpenVINO's format on Triton's OpenVINO backend, or one model for each version. */
export const openvinoKind: StepKind = {
  kind: "openvino",
  options,
  profileOptions: ["useStandIn"],
  read: (step, context) =>
    readBackendStep(step, context, {
      backend: { backend: "openvino", called: "the OpenVINO backend" },
      option: "file",
      config: () => ({ default_model_filename: "model.xml", ...batchesByDefault(context) }),
      read(version) {
        const { file = "" } = optionsOf(version, options);
        const { host } = context;
        return {
          diagnostics: checkFile(version, file, context),
          value: {
            files: new Map([
              ...placedFile("model.xml", file, host),
              ...placedFile("model.bin", weightsOf(file), host),
            ]),
          },
        };
      },
    }),
};

const weightsOf = (file: string): string => file.replace(/\.xml$/, ".bin");

const checkFile = (version: StepDefinition, path: string, { host }: StepContext): readonly Diagnostic[] => {
  const { file, bytes, diagnostics } = readModelFile(version, path, host, "its .xml file");
  if (bytes === undefined) return diagnostics;
  const strange = strangeModel(bytes);
  if (strange !== undefined) return [notReadable(version, file, "an OpenVINO model", strange)];
  const weights = weightsOf(file);
  return weights === file || openFile(host, weights) === undefined
    ? [
        diagnoseBackend("step-file/not-found", {
          with: { step: version.name, file: `${file.replace(/\.xml$/, "")}.bin` },
          labels: definedAt(version),
        }),
      ]
    : [];
};

const strangeModel = (bytes: Uint8Array): StrangeFile | undefined =>
  strangeFile(bytes) ??
  (looksLikeOnnx(bytes)
    ? {
        problem: "it is an ONNX model",
        help: "convert it with `ovc model.onnx`, or use onnx()",
      }
    : /<net[\s>]/.test(decodeUtf8(bytes.subarray(0, 4096)))
      ? undefined
      : {
          problem: "it has no element `net`",
          help: "use the .xml file from `ovc`; its weights are in the .bin file next to it",
        });
