import { type Diagnostic, hasErrors, siteSpan, type Span } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import type { ModelConfig } from "@tritype/triton";
import type { ReadSteps } from "../step-kind.ts";
import type { Profiles } from "../profiles/in-profile.ts";
import type { Tree, TreeFile } from "../tree.ts";
import { writtenAt } from "../check/check-declaration.ts";
import { emitStep } from "./emit-step.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import type { PlaceOf } from "./field-places.ts";

/** A repository for the rules of `pipeline check`: its files, and the positions of its configurations in the source. */
export interface EmittedRepository {
  /** All files of a complete build, or otherwise only those of the models. */
  readonly tree: Tree;
  /** The manifest of a complete build; otherwise undefined. */
  readonly manifest: Pick<Manifest, "models" | "requirements"> | undefined;
  readonly models: readonly ConfiguredModel[];
  /** Tokenizers, and models that receive their ids, that the compiler has compared. Default: none. */
  readonly comparedTokens?: readonly { readonly maker: string; readonly model: string }[];
}

/** The configurations of one model. */
export interface ConfiguredModel {
  readonly name: string;
  /** The position at which the model's step or ensemble is defined. */
  readonly definedAt: Span | undefined;
  /** The position of its `raw` fragment; undefined if it has none. */
  readonly rawAt: Span | undefined;
  /** The configurations by profile; undefined is the configuration without a profile. */
  readonly configs: ReadonlyMap<
    string | undefined,
    { readonly config: ModelConfig; readonly placeOf: PlaceOf }
  >;
}

/** The configurations of emitted models. */
export const configuredModels = (
  models: readonly EmittedModel[],
  profiles: Profiles,
): readonly ConfiguredModel[] =>
  models.map(({ name, definition, config, profiles: profiled, placesIn }) => {
    const names = [undefined, ...Object.keys(profiles)];
    return {
      name,
      definedAt: definition && siteSpan(definition.site),
      // The definition of tensor math is its ensemble, whose fragment is only merged into the ensemble itself.
      rawAt:
        definition?.name === name && definition.options["raw"] !== undefined
          ? writtenAt(definition, "raw")[0]?.span
          : undefined,
      configs: new Map(
        [config, ...profiled].map((one, i) => [names[i], { config: one, placeOf: placesIn(names[i]) }]),
      ),
    };
  });

/** Paths relative to the build folder. */
export const modelFiles = (
  name: string,
  { versions, files }: Pick<EmittedModel, "versions" | "files">,
): readonly (readonly [string, TreeFile])[] => [
  ...[...versions].flatMap(([number, version]) =>
    sorted(version.files).map(
      ([path, file]) => [`model_repository/${name}/${number}/${path}`, file] as const,
    ),
  ),
  ...sorted(files).map(([path, file]) => [`model_repository/${name}/${path}`, file] as const),
];

const sorted = (files: Tree): readonly (readonly [string, TreeFile])[] =>
  [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * The models of individual steps if the pipeline as a whole cannot be built, so that mistakes in their fields are
 * reported together with the other errors.
 * @param steps The steps without errors so far.
 */
export const emitAlone = (
  steps: ReadSteps,
  options: EmitOptions,
): { readonly diagnostics: readonly Diagnostic[]; readonly repository: EmittedRepository } => {
  const emitted = [...steps.values()].map(({ step, read }) => emitStep(step, read, options));
  const models = emitted.flatMap(({ model, diagnostics }) => (hasErrors(diagnostics) ? [] : [model]));
  return {
    diagnostics: emitted.flatMap(({ diagnostics }) => diagnostics),
    repository: {
      tree: new Map(models.flatMap((model) => modelFiles(model.name, model))),
      manifest: undefined,
      models: configuredModels(models, options.profiles),
    },
  };
};
