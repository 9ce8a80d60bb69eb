import { hasErrors, type StepDefinition, tryDecodeUtf8 } from "@tritype/core";
import type { PlanBuild } from "@tritype/dsl";
import { z } from "zod";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { isZip, looksLikeOnnx, type StrangeFile, strangeFile } from "../backends/file-kind.ts";
import { notReadable, readModelFile } from "../backends/model-file.ts";
import { readBackendStep } from "../backends/read-backend-step.ts";
import { definedAt } from "../check/check-declaration.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import { batchesByDefault } from "../emit/batches-by-default.ts";
import { placedFile } from "../files/placed-files.ts";
import { type OnnxFile, readOnnxFile } from "../onnx/onnx-file.ts";
import type { Found, StepContext, StepKind, StepVersion } from "../step-kind.ts";
import { checkPlanBuild, planFile } from "./plan-build.ts";

const number = z.number("must be a number").optional();
const size = z.number("must be a number");
const sizes = z.strictObject({ min: size, opt: size, max: size }, "must be { min, opt, max }");
const build: z.ZodType<PlanBuild> = z.strictObject(
  {
    onnx: optionForms.path,
    precision: optionForms.word.optional(),
    sizes: z.record(z.string(), sizes, "must be an object: dim → { min, opt, max }").optional(),
    workspace: number,
    optimizationLevel: number,
    arguments: optionForms.words.optional(),
  },
  "must be an object: { onnx: path, … }",
) as never;
const options = perVersion({ file: optionForms.path, build, standIn: optionForms.path });

/** A plan on Triton's TensorRT backend, or one for each version: a file, or how it is built from an ONNX file. */
export const tensorrtKind: StepKind = {
  kind: "tensorrt",
  options,
  profileOptions: ["useStandIn"],
  read: (step, context) =>
    readBackendStep(step, context, {
      backend: { backend: "tensorrt", called: "TensorRT" },
      option: step.options["build"] === undefined ? "file" : "build",
      config: () => ({
        default_model_filename: "model.plan",
        instance_group: [{ kind: "KIND_GPU", count: 1 }],
        ...batchesByDefault(context),
      }),
      read: (version) => readPlan(version, context),
    }),
};

/** A plan that is built from an ONNX file uses that file as its stand-in. */
type Plan = StepVersion & { readonly ownStandIn?: OnnxFile };

const readPlan = (version: StepDefinition, context: StepContext): Found<Plan> => {
  const { file, build: built } = optionsOf(version, options);
  if ((file === undefined) === (built === undefined)) {
    const what =
      file === undefined
        ? "neither `file` nor `build`"
        : "both `file` and `build`, which are mutually exclusive";
    const wanted = "`file` to its plan, or `build` to the ONNX file to build one from";
    return {
      diagnostics: [
        diagnoseBackend("step-file/none", {
          with: { step: version.name, what, wanted },
          labels: definedAt(version),
        }),
      ],
    };
  }
  return built === undefined ? readPlanFile(version, file, context) : readBuild(version, built, context);
};

const readBuild = (version: StepDefinition, given: PlanBuild, context: StepContext): Found<Plan> => {
  const { diagnostics, value: onnx } = readOnnxFile(version, given.onnx, context, ["build", "onnx"]);
  if (hasErrors(diagnostics) || onnx === undefined) return { diagnostics };
  return {
    diagnostics: [...diagnostics, ...checkPlanBuild(version, given, context)],
    value: {
      files: new Map(),
      prepared: [planFile(version, given, onnx, context)],
      ownStandIn: onnx,
    },
  };
};

const readPlanFile = (
  version: StepDefinition,
  path: string | undefined,
  { host }: StepContext,
): Found<Plan> => {
  const { file, bytes, diagnostics } = readModelFile(version, path, host, "its plan");
  const strange = bytes === undefined ? undefined : strangePlan(bytes);
  return strange === undefined
    ? { diagnostics, value: { files: new Map(placedFile("model.plan", file, host)) } }
    : { diagnostics: [notReadable(version, file, "a TensorRT plan", strange)] };
};

/** Detects a file that is certainly not a plan; only TensorRT can confirm that a file is one. */
const strangePlan = (bytes: Uint8Array): StrangeFile | undefined =>
  strangeFile(bytes) ??
  (isZip(bytes)
    ? {
        problem: "it is a zip archive, as written by PyTorch",
        help: "use torchscript() for a TorchScript file",
      }
    : looksLikeOnnx(bytes)
      ? {
          problem: "it is an ONNX model",
          help: "to build the plan from it, use `build: { onnx: … }` instead of `file`",
        }
      : describedPlan(bytes));

/**
 * Ultralytics writes its own JSON before the plan: the length in four bytes, the text, then the bytes that every
 * TensorRT plan begins with.
 */
const describedPlan = (bytes: Uint8Array): StrangeFile | undefined => {
  if (bytes.length < 8) return undefined;
  const plan = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return bytes[4] === 0x7b && tryDecodeUtf8(bytes.subarray(plan, plan + 4)) === "ftrt"
    ? {
        problem: `the plan is preceded by a description of ${plan} bytes, as written by Ultralytics`,
        help: `TensorRT cannot skip it: remove it with \`tail -c +${plan + 1}\``,
      }
    : undefined;
};
