import { hasErrors, type StepDefinition, tryDecodeUtf8 } from "@tritype/core";
import type { PlanBuild } from "@tritype/dsl";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { isZip, looksLikeOnnx, type StrangeFile, strangeFile } from "../backends/file-kind.ts";
import { readModelFile } from "../backends/model-file.ts";
import { readBackendStep } from "../backends/read-backend-step.ts";
import { definedAt } from "../check/check-declaration.ts";
import { optionForms } from "../check/check-option-forms.ts";
import { placedFile } from "../files/placed-files.ts";
import { type OnnxFile, readOnnxFile } from "../onnx/onnx-file.ts";
import type { Found, StepContext, StepKind, StepVersion } from "../step-kind.ts";
import { checkPlanBuild, planFile } from "./plan-build.ts";

/** A plan on Triton's TensorRT backend, or one for each version: a file, or how it is built from an ONNX file. */
export const tensorrtKind: StepKind = {
  kind: "tensorrt",
  options: {
    file: optionForms.any,
    build: optionForms.any,
    versions: optionForms.any,
    standIn: optionForms.path,
  },
  profileOptions: ["useStandIn"],
  read: (step, context) =>
    readBackendStep(step, context, {
      backend: { backend: "tensorrt", called: "TensorRT" },
      option: step.options["build"] === undefined ? "file" : "build",
      config: () => ({
        default_model_filename: "model.plan",
        instance_group: [{ kind: "KIND_GPU", count: 1 }],
      }),
      read: (version) => readPlan(version, context),
    }),
};

/** A plan that is built from an ONNX file has that file as its stand-in. */
type Plan = StepVersion & { readonly ownStandIn?: OnnxFile };

const readPlan = (version: StepDefinition, context: StepContext): Found<Plan> => {
  const { file, build } = version.options;
  if ((file === undefined) === (build === undefined)) {
    const what =
      file === undefined ? "neither `file` nor `build`" : "both `file` and `build`, which exclude each other";
    const wanted = "`file` to its plan, or `build` to the ONNX file from which to build one";
    return {
      diagnostics: [
        diagnoseBackend("step-file/none", {
          with: { step: version.name, what, wanted },
          labels: definedAt(version),
        }),
      ],
    };
  }
  return build === undefined ? readPlanFile(version, context) : readBuild(version, build, context);
};

const readBuild = (version: StepDefinition, given: unknown, context: StepContext): Found<Plan> => {
  const build = (typeof given === "object" && given !== null ? given : {}) as PlanBuild;
  const { diagnostics, value: onnx } = readOnnxFile(version, build.onnx, context, ["build", "onnx"]);
  if (hasErrors(diagnostics) || onnx === undefined) return { diagnostics };
  return {
    diagnostics: [...diagnostics, ...checkPlanBuild(version, build, context)],
    value: {
      files: new Map(),
      prepared: [planFile(version, build, onnx, context)],
      ownStandIn: onnx,
    },
  };
};

const readPlanFile = (version: StepDefinition, { host }: StepContext): Found<Plan> => {
  const { file, bytes, diagnostics } = readModelFile(version, host, "its plan");
  const strange = bytes === undefined ? undefined : strangePlan(bytes);
  if (strange === undefined)
    return { diagnostics, value: { files: new Map(placedFile("model.plan", file, host)) } };
  return {
    diagnostics: [
      diagnoseBackend("step-file/not-readable", {
        with: { step: version.name, file, wanted: "a TensorRT plan", problem: strange.problem },
        labels: definedAt(version),
        ...(strange.help === undefined ? {} : { help: strange.help }),
      }),
    ],
  };
};

/** A file that is certainly not a plan: only TensorRT can tell that a file is one. */
const strangePlan = (bytes: Uint8Array): StrangeFile | undefined =>
  strangeFile(bytes) ??
  (isZip(bytes)
    ? {
        problem: "it is a zip archive, as PyTorch writes them",
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
        help: `TensorRT cannot skip it: cut it off with \`tail -c +${plan + 1}\``,
      }
    : undefined;
};
