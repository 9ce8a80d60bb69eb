import { type Diagnostic, hasErrors, type StepDefinition } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { emitVersions, readVersions } from "../authored-versions.ts";
import type { Found, ReadStep, StepContext, StepVersion, TensorNames } from "../step-kind.ts";
import { type BackendName, checkBackendStep } from "./check-backend-step.ts";
import { checkStandIns, readStandIn, type Standing, standInModel, withStandIn } from "./stand-in.ts";

/** A version of a model on a backend: its part of the version folder, and its stand-in. */
export interface BackendVersion extends Standing {
  readonly version: StepVersion;
}

/** The facts that a backend's step kind defines about its steps. */
export interface BackendModel {
  readonly backend: BackendName;
  /** The option that names the model in a step without versions. */
  readonly option: string;
  readonly config: (versions: ReadonlyMap<number, BackendVersion>) => Partial<ModelConfig>;
  /** The version's part of its folder. The stand-in is read from `standIn` unless this function returns one. */
  readonly read: (
    version: StepDefinition,
  ) => Found<StepVersion & { readonly ownStandIn?: Standing["standIn"] }>;
  /** Default: as declared. */
  readonly names?: TensorNames | undefined;
  /** Further mistakes in the declaration. */
  readonly found?: readonly Diagnostic[];
}

/** A step that serves files on one of Triton's backends, with a stand-in if the author names one. */
export const readBackendStep = (
  step: StepDefinition,
  context: StepContext,
  { backend, option, config, read, names, found = [] }: BackendModel,
): Found<ReadStep> => {
  const { diagnostics, value: versions } = readVersions(step, option, (version): Found<BackendVersion> => {
    const own = read(version);
    const named = readStandIn(version, context);
    const { ownStandIn, ...files } = own.value ?? { files: new Map() };
    return {
      diagnostics: [...own.diagnostics, ...named.diagnostics],
      value: own.value && { version: files, standIn: named.value ?? ownStandIn },
    };
  });
  const all = [...checkBackendStep(step, backend, context), ...found, ...diagnostics];
  if (versions === undefined || hasErrors(diagnostics)) return { diagnostics: all };
  return {
    diagnostics: [...all, ...checkStandIns(step, versions.all)],
    value: {
      model: () => ({
        config: { backend: backend.backend, ...config(versions.all) },
        ...emitVersions(versions, (one) => withStandIn(one.version, one, context.batched, names)),
        ...(names === undefined ? {} : { tensorNames: names }),
        ...standInModel(versions.all),
      }),
    },
  };
};
