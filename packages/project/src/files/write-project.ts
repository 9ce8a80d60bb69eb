import { join } from "node:path";
import type { CompiledBuild, EnsembleSample } from "@tritype/compiler";
import type { Manifest, ManifestDriftProof } from "@tritype/manifest";
import type { CompiledProject } from "../compile-project.ts";
import { gateStates, withProofs } from "../drift/drift-proofs.ts";
import type { Project } from "../find-project.ts";
import { type Commit, writeBuild, type WrittenBuild } from "./write-build.ts";

/** A project whose build is on disk. */
export interface BuiltProject {
  /** The model repository. */
  readonly repository: string;
  readonly ensembles: readonly string[];
  /** Requests of the ensembles' `warmup`. */
  readonly samples: readonly EnsembleSample[];
}

/** A project whose build has just been written, and what changed. */
export interface WrittenProject extends BuiltProject {
  readonly files: WrittenBuild;
  /** `version 2 of double`, for each version that the last build did not have. */
  readonly appended: readonly string[];
  /**
   * `embed: its clients must be updated: output \`sum\` is gone`, for each ensemble that is incompatible with
   * clients of the last build.
   */
  readonly changedContracts: readonly string[];
}

/**
 * Writes the error-free build of a compiled project.
 * @param proofs Proofs that the build meets its `drift` limits. Default: the proofs of the last build that still hold.
 * @param commit Runs the work that must not be interrupted. Default: in the main thread, signals wait for it.
 */
export const writeProject = (
  project: Project,
  compiled: CompiledProject,
  build: CompiledBuild,
  proofs: readonly ManifestDriftProof[] = gateStates(project, compiled).flatMap(({ proof }) => proof ?? []),
  commit?: Commit,
): WrittenProject => {
  const { settings, ensembles, append } = compiled;
  const files = writeBuild(settings.output, withProofs(build, proofs).tree, append, commit);
  return {
    repository: join(settings.output, "model_repository"),
    ensembles,
    samples: build.samples,
    files,
    appended: appendedVersions(append?.previous?.manifest, build.manifest),
    changedContracts: changedContracts(files.previous, build.manifest),
  };
};

const appendedVersions = (previous: Manifest | undefined, { models }: Manifest): readonly string[] => {
  const known = new Map(previous?.models.map(({ name, versions }) => [name, versions ?? [{ version: 1 }]]));
  return models.flatMap(({ name, versions = [] }) => {
    const old = known.get(name);
    if (old === undefined) return [];
    return versions
      .filter(({ version }) => !old.some((other) => other.version === version))
      .map(({ version }) => `version ${version} of ${name}`);
  });
};

const changedContracts = (previous: Manifest | undefined, { ensembles }: Manifest): readonly string[] =>
  ensembles.flatMap((now) => {
    const old = previous?.ensembles.find(({ name }) => name === now.name);
    if (old === undefined || old.contractHash === now.contractHash) return [];
    const changes = [
      ...changedTensors("input", old.inputs, now.inputs),
      ...changedTensors("output", old.outputs, now.outputs),
      ...changedFact("streams", old.streams, now.streams),
      ...changedFact("sequence IDs", old.sequenceIds, now.sequenceIds),
    ];
    return [`${now.name}: its clients must be updated: ${changes.join(", ")}`];
  });

const changedFact = (
  what: string,
  was: string | true | undefined,
  is: string | true | undefined,
): readonly string[] => {
  if (was === is) return [];
  if (is === undefined) return [`${what} are gone`];
  return [was === undefined ? `${what} are new` : `${what} are ${is}, not ${was}`];
};

type Tensors = Manifest["ensembles"][number]["inputs"];

const changedTensors = (side: string, old: Tensors, now: Tensors): readonly string[] => {
  const shown = (tensor: Tensors[string] | undefined): string =>
    tensor === undefined
      ? ""
      : `${tensor.dtype}[${tensor.dims.join(", ")}]${tensor.optional === true ? " (optional)" : ""}`;
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) => {
    const [was, is] = [shown(old[name]), shown(now[name])];
    if (was === is) return [];
    const what = is === "" ? "is gone" : was === "" ? `${is} is new` : `is ${is}, not ${was}`;
    return [`${side} \`${name}\` ${what}`];
  });
};
