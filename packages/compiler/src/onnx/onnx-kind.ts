import { hasErrors, isObject, remembered, type StepDefinition } from "@tritype/core";
import { emitVersions, readVersions } from "../authored-versions.ts";
import { fuseForm, optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import type { StepKind, TakenTokens } from "../step-kind.ts";
import { checkSameOutputs, onnxFiles, type OpenedOnnx, readOnnxFile } from "./onnx-file.ts";
import { decodeModel, embeddingSizes, type ModelProto } from "@tritype/onnx";
import type { CompilerHost } from "../compiler-host.ts";
import { batchesByDefault } from "../emit/batches-by-default.ts";
import type { MathTaker } from "../fuse/math-taker.ts";
import { profilesOf } from "../profiles/in-profile.ts";
import { transformersConfig } from "../tokenizer/transformers-config.ts";

const options = { ...perVersion({ file: optionForms.path }), ...fuseForm };

/** An ONNX file on Triton's ONNX Runtime backend, or one for each version. */
export const onnxKind: StepKind = {
  kind: "onnx",
  options,
  read(step, context) {
    const { diagnostics: found, value: versions } = readVersions(step, "file", (version) =>
      readOnnxFile(version, optionsOf(version, options).file, context),
    );
    if (versions === undefined || hasErrors(found)) return { diagnostics: found };
    const [first] = versions.all.values();
    return {
      diagnostics: [...found, ...checkSameOutputs(step, versions.all)],
      value: {
        takesTokens(version) {
          const taker = versions.all.get(version);
          return taker && takenTokens(taker, context.host);
        },
        takesMath: () =>
          first === undefined || versions.listed ? "`versions` lists files for it" : mathTaker(first, step),
        model: () => ({
          config: {
            backend: "onnxruntime",
            default_model_filename: modelFile,
            ...batchesByDefault(context),
          },
          ...emitVersions(versions, (version) => ({ files: onnxFiles(version) })),
          outputs: first?.outputs ?? {},
        }),
      },
    };
  },
};

const modelFile = "model.onnx";

const mathTaker = (
  { file: path, bytes, model, signature, weights }: OpenedOnnx,
  step: StepDefinition,
): MathTaker | string | undefined => {
  const { fuse } = optionsOf(step, options);
  if (fuse === false) return `\`${step.name}\` has \`fuse: false\``;
  if (fuse === undefined && hasAccelerators(step))
    return `\`${step.name}\` has accelerators, which may round the math differently: set \`fuse: true\` if that is fine`;
  if (model.kind !== "large-copy") return undefined;
  const outline = (): ModelProto => decoded(bytes);
  return { path, file: model.file, name: modelFile, beside: weights, signature, outline };
};

/** Whether an engine such as TensorRT runs the model, at least in one profile. */
const hasAccelerators = ({ options: own }: StepDefinition): boolean =>
  [own, ...Object.values(profilesOf(own))].some(
    ({ optimization }) => isObject(optimization) && optimization["executionAccelerators"] !== undefined,
  );

const decoded = remembered(decodeModel);
const tableSizes = remembered((bytes: Uint8Array) => embeddingSizes(decoded(bytes).graph ?? {}));

/** The number of tokens in the tables of an ONNX file; undefined if none are known. */
const takenTokens = ({ file, bytes }: OpenedOnnx, host: CompilerHost): TakenTokens => {
  const { tokens, positions } = tableSizes(bytes);
  const folder = file.split("/").slice(0, -1).join("/");
  const before = transformersConfig(host, folder)?.positionsBefore ?? 0;
  return { file, tokens, positions: positions(before) };
};
