import type { Diagnostic, StepDefinition } from "@tritype/core";
import { standInTwin } from "@tritype/manifest";
import { renamePorts } from "@tritype/onnx";
import { authoredVersions } from "../authored-versions.ts";
import { definedAt } from "../check/check-declaration.ts";
import { configOutputs } from "../emit/emit-config.ts";
import { renamed } from "../emit/tensor-names.ts";
import { checkOnnxFile, checkSameOutputs, onnxFiles, onnxOutputs } from "../onnx/onnx-file.ts";
import { profilesOf } from "../profiles/in-profile.ts";
import type { StandInModel, StepContext, StepVersion, TensorNames } from "../step-kind.ts";
import { fileBytes, type TreeFile } from "../tree.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";

/** Its name in the version folders, next to the model. */
const fileName = "stand-in.onnx";

/** Which option of a step, or of one of its versions, names the ONNX file; undefined when none does. */
export type StandInOf = (step: StepDefinition) => string | undefined;

export const namedStandIn: StandInOf = ({ options: { standIn } }) =>
  typeof standIn === "string" && standIn !== "" ? standIn : undefined;

/** The step as an `onnx` step with its stand-in. */
const onStandIn = (step: StepDefinition, standInOf: StandInOf): StepDefinition => {
  const versions = authoredVersions(step);
  return {
    ...step,
    options: {
      ...step.options,
      file: standInOf(step),
      ...(versions === undefined
        ? {}
        : {
            versions: Object.fromEntries(
              versions.map(({ number, step: version }) => [number, { file: standInOf(version) }]),
            ),
          }),
    },
  };
};

/** Checks one version's stand-in against the declaration, as for an `onnx` step. */
export const checkStandIn = (
  version: StepDefinition,
  context: StepContext,
  standInOf: StandInOf = namedStandIn,
): readonly Diagnostic[] =>
  standInOf(version) === undefined
    ? []
    : checkOnnxFile(onStandIn(version, standInOf), context).map((one) => ({
        ...one,
        message: `stand-in of ${one.message}`,
      }));

/** Checks that every profile with stand-ins has one for all versions. */
export const checkStandInProfiles = (
  step: StepDefinition,
  context: StepContext,
  standInOf: StandInOf = namedStandIn,
): readonly Diagnostic[] => {
  const versions = (authoredVersions(step) ?? [{ step }]).map((one) => standInOf(one.step));
  const missing = versions.includes(undefined);
  const wanting = Object.entries(profilesOf(step.options)).filter(
    ([, profile]) => (profile as { readonly useStandIn?: unknown } | null)?.useStandIn === true,
  );
  return [
    ...(missing
      ? wanting.map(([profile]) =>
          diagnoseBackend("stand-in/none", {
            with: { step: step.name, profile },
            labels: definedAt(step),
          }),
        )
      : checkSameOutputs(onStandIn(step, standInOf), context)),
  ];
};

/** The version's part of the stand-in: its files, and that the local runtime runs it where the backend is missing. */
export const withStandIn = (
  files: StepVersion,
  version: StepDefinition,
  context: StepContext,
  names: TensorNames | undefined,
  standInOf: StandInOf = namedStandIn,
): StepVersion => {
  if (standInOf(version) === undefined) return files;
  const as = { ...onStandIn(version, standInOf), options: { file: standInOf(version) } };
  const own = [...onnxFiles(as, context, fileName)].map(
    ([path, file]) => [path, path === fileName ? withNames(file, names) : file] as const,
  );
  const outputs = renamed(onnxOutputs(as, context)[0]?.outputs ?? {}, names?.outputs);
  return {
    ...files,
    files: new Map([...files.files, ...own]),
    twin: {
      kind: standInTwin,
      options: {
        file: fileName,
        outputs: Object.fromEntries(
          configOutputs(outputs, context.batched).map(({ name = "", dims = [] }) => [name, [...dims]]),
        ),
      },
    },
  };
};

/** What profiles serve that use it; undefined when a version has none. */
export const standInModel = (
  step: StepDefinition,
  context: StepContext,
  standInOf: StandInOf = namedStandIn,
): StandInModel | undefined => {
  const as = onStandIn(step, standInOf);
  if ((authoredVersions(step) ?? [{ step }]).some((one) => standInOf(one.step) === undefined))
    return undefined;
  return {
    config: {
      backend: "onnxruntime",
      default_model_filename: fileName,
      instance_group: [{ count: 1, kind: "KIND_AUTO" }],
    },
    outputs: onnxOutputs(as, context)[0]?.outputs ?? {},
  };
};

const withNames = (file: TreeFile, names: TensorNames | undefined): TreeFile =>
  names === undefined ? file : { kind: "bytes", bytes: renamePorts(fileBytes(file), names) };
