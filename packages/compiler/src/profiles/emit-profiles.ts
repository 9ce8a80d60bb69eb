import type { Diagnostic } from "@tritype/core";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { textFile, type Tree } from "../tree.ts";
import type { Profiles } from "./in-profile.ts";

/** A configuration of a model, and its faults. */
export interface Configured {
  readonly config: ModelConfig;
  readonly diagnostics: readonly Diagnostic[];
}

/** The configurations of a model in the project's profiles. */
export interface ProfiledModel {
  /** `configs/<profile>.pbtxt`, paths relative to the model's folder. */
  readonly files: Tree;
  readonly configs: readonly ModelConfig[];
  /** The faults that are not in the configuration without a profile. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Configures a model once per profile, because Triton silently serves `config.pbtxt` if a profile has no file. */
export const emitProfiles = (
  profiles: Profiles,
  base: Configured,
  configure: (profile: string) => Configured,
  note = "",
): ProfiledModel => {
  const known = new Set(base.diagnostics.map((one) => JSON.stringify(one)));
  const configured = Object.keys(profiles).map((name) => ({ name, ...configure(name) }));
  return {
    files: new Map(
      configured.map(({ name, config }) => [
        `configs/${name}.pbtxt`,
        textFile(note + printModelConfig(config)),
      ]),
    ),
    configs: configured.map(({ config }) => config),
    diagnostics: configured.flatMap(({ name, diagnostics }) =>
      diagnostics
        .filter((one) => !known.has(JSON.stringify(one)))
        .map((one) => ({ ...one, notes: [...one.notes, `in the profile \`${name}\``] })),
    ),
  };
};
