import { type Diagnostic, hasErrors, type StepDefinition, tryDecodeUtf8 } from "@tritype/core";
import type { PlanBuild } from "@tritype/dsl";
import { checkVersions } from "../authored-versions.ts";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { checkBackendStep } from "../backends/check-backend-step.ts";
import { emitVersions } from "../emit-versions.ts";
import { isZip, looksLikeOnnx, type StrangeFile, strangeFile } from "../backends/file-kind.ts";
import { readModelFile } from "../backends/model-file.ts";
import {
  checkStandIn,
  checkStandInProfiles,
  namedStandIn,
  standInModel,
  type StandInOf,
  withStandIn,
} from "../backends/stand-in.ts";
import { definedAt } from "../check/check-declaration.ts";
import { placedFile } from "../files/placed-files.ts";
import { checkOnnxFile } from "../onnx/onnx-file.ts";
import type { StepContext, StepKind } from "../step-kind.ts";
import { checkPlanBuild, planFile } from "./plan-build.ts";

/** A plan on Triton's TensorRT backend, or one for each version: a file, or how it is built from an ONNX file. */
export const tensorrtKind: StepKind = {
  kind: "tensorrt",
  options: ["file", "build", "versions", "standIn"],
  profileOptions: ["useStandIn"],
  check(step, context) {
    const files = checkVersions(step, step.options["build"] === undefined ? "file" : "build", (version) => [
      ...checkPlan(version, context),
      ...(namedStandIn(version) === undefined ? [] : checkStandIn(version, context)),
    ]);
    return [
      ...checkBackendStep(step, { backend: "tensorrt", called: "TensorRT" }, context),
      ...files,
      ...(hasErrors(files) ? [] : checkStandInProfiles(step, context, standInOf)),
    ];
  },
  emit(step, context) {
    const standIn = standInModel(step, context, standInOf);
    return {
      config: {
        backend: "tensorrt",
        default_model_filename: "model.plan",
        instance_group: [{ kind: "KIND_GPU", count: 1 }],
      },
      ...emitVersions(step, (version) =>
        withStandIn(
          buildOf(version) === undefined
            ? { files: new Map(placedFile("model.plan", String(version.options["file"]), context.host)) }
            : { files: new Map(), prepared: [planFile(version, context)] },
          version,
          context,
          undefined,
          standInOf,
        ),
      ),
      ...(standIn === undefined ? {} : { standIn }),
    };
  },
};

const buildOf = ({ options: { build } }: StepDefinition): PlanBuild | undefined =>
  typeof build === "object" && build !== null ? (build as PlanBuild) : undefined;

/** A plan that is built from an ONNX file has that file as its stand-in. */
const standInOf: StandInOf = (version) => namedStandIn(version) ?? buildOf(version)?.onnx;

const checkPlan = (version: StepDefinition, context: StepContext): readonly Diagnostic[] => {
  const at = { labels: definedAt(version) };
  const { file, build } = version.options;
  if ((file === undefined) === (build === undefined)) {
    const what =
      file === undefined ? "neither `file` nor `build`" : "both `file` and `build`, which exclude each other";
    const wanted = "`file` to its plan, or `build` to the ONNX file from which to build one";
    return [diagnoseBackend("step-file/none", { with: { step: version.name, what, wanted }, ...at })];
  }
  if (build !== undefined) {
    const onnx = buildOf(version)?.onnx;
    const read = checkOnnxFile({ ...version, options: { ...version.options, file: onnx } }, context);
    return hasErrors(read) ? read : [...read, ...checkPlanBuild(version, context)];
  }
  const read = readModelFile(version, context.host, "its plan");
  const strange = read.bytes === undefined ? undefined : strangePlan(read.bytes);
  return strange === undefined
    ? read.diagnostics
    : [
        diagnoseBackend("step-file/not-readable", {
          with: { step: version.name, file: read.file, wanted: "a TensorRT plan", problem: strange.problem },
          ...at,
          ...(strange.help === undefined ? {} : { help: strange.help }),
        }),
      ];
};

/** What is surely no plan: of a plan itself only TensorRT can tell. */
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

/** Ultralytics writes its own JSON in front of the plan: the length in four bytes, the text, then what TensorRT begins every plan with. */
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
