import type { Diagnostic, StepDefinition } from "@tritype/core";
import { standInTwin } from "@tritype/manifest";
import { renamePorts } from "@tritype/onnx";
import { definedAt } from "../check/check-declaration.ts";
import { optionForms, optionsOf } from "../check/check-option-forms.ts";
import { configOutputs } from "../emit/emit-config.ts";
import { renamed } from "../emit/tensor-names.ts";
import { checkSameOutputs, type OnnxFile, onnxFiles, readOnnxFile } from "../onnx/onnx-file.ts";
import { profilesOf } from "../profiles/in-profile.ts";
import type { Found, StandInModel, StepContext, StepVersion, TensorNames } from "../step-kind.ts";
import { fileBytes, type TreeFile } from "../tree.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";

/** The stand-in's name in the version folders, next to the model. */
const fileName = "stand-in.onnx";

/** Reads the stand-in that one version names and checks it against the declaration, as for an `onnx` step. */
export const readStandIn = (version: StepDefinition, context: StepContext): Found<OnnxFile> => {
  const { standIn = "" } = optionsOf(version, { standIn: optionForms.path });
  if (standIn === "") return { diagnostics: [] };
  const { diagnostics, value } = readOnnxFile(version, standIn, context, ["standIn"]);
  return {
    diagnostics: diagnostics.map((one) => ({ ...one, message: `stand-in of ${one.message}` })),
    value,
  };
};

/** A version and its stand-in, if it has one. */
export interface Standing {
  readonly standIn: OnnxFile | undefined;
}

/** The stand-ins of all versions, by number; undefined if a version has none. */
const standInsOf = (versions: ReadonlyMap<number, Standing>): ReadonlyMap<number, OnnxFile> | undefined => {
  const all = new Map([...versions].flatMap(([number, { standIn }]) => (standIn ? [[number, standIn]] : [])));
  return all.size === versions.size ? all : undefined;
};

/** If a profile uses stand-ins, checks that every version of the step has one. */
export const checkStandIns = (
  step: StepDefinition,
  versions: ReadonlyMap<number, Standing>,
): readonly Diagnostic[] => {
  const all = standInsOf(versions);
  if (all !== undefined) return checkSameOutputs(step, all);
  return Object.entries(profilesOf(step.options))
    .filter(([, profile]) => (profile as { readonly useStandIn?: unknown } | null)?.useStandIn === true)
    .map(([profile]) =>
      diagnoseBackend("stand-in/none", { with: { step: step.name, profile }, labels: definedAt(step) }),
    );
};

/** The version with its stand-in: the files, and the twin that the local runtime uses in place of a missing backend. */
export const withStandIn = (
  version: StepVersion,
  { standIn }: Standing,
  batched: boolean,
  names?: TensorNames,
): StepVersion => {
  if (standIn === undefined) return version;
  const own = [...onnxFiles(standIn, fileName)].map(
    ([path, file]) => [path, path === fileName ? withNames(file, names) : file] as const,
  );
  const outputs = renamed(standIn.outputs, names?.outputs);
  return {
    ...version,
    files: new Map([...version.files, ...own]),
    twin: {
      kind: standInTwin,
      options: {
        file: fileName,
        outputs: Object.fromEntries(
          configOutputs(outputs, batched).map(({ name = "", dims = [] }) => [name, [...dims]]),
        ),
      },
    },
  };
};

/** The files served in profiles that use the stand-in; empty if a version has none. */
export const standInModel = (
  versions: ReadonlyMap<number, Standing>,
): { readonly standIn?: StandInModel } => {
  const [first] = standInsOf(versions)?.values() ?? [];
  return first === undefined
    ? {}
    : {
        standIn: {
          config: {
            backend: "onnxruntime",
            default_model_filename: fileName,
            instance_group: [{ count: 1, kind: "KIND_AUTO" }],
          },
          outputs: first.outputs,
        },
      };
};

const withNames = (file: TreeFile, names: TensorNames | undefined): TreeFile =>
  names === undefined ? file : { kind: "bytes", bytes: renamePorts(fileBytes(file), names) };
