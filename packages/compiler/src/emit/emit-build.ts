import { type Diagnostic, modelsCalledBy } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { hashFile, textFile, type TreeFile, type Tree } from "../tree.ts";
import { appendVersions } from "./append-versions.ts";
import { checkServed } from "./check-served.ts";
import { describeBuild, describeEnsembles, loadOrder } from "./describe-build.ts";
import { emitDocker } from "./docker/emit-docker.ts";
import { emitClient } from "../client/emit-client.ts";
import { emitEnsemble } from "./emit-ensemble.ts";
import { emitStep } from "./emit-step.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import type { PlannedEnsemble } from "./plan-ensemble.ts";
import { checkPaths } from "./similar-paths.ts";
import { type ConfiguredModel, configuredModels, modelFiles } from "./emitted-repository.ts";
import { emitPrepared } from "./prepared-files.ts";
import type { TensorNames } from "../step-kind.ts";
import { renamedCall } from "./tensor-names.ts";

/** Emits every model and, next to the repository, its container and the manifest. */
export const emitBuild = (
  options: EmitOptions,
): {
  readonly diagnostics: readonly Diagnostic[];
  readonly build: { readonly tree: Tree; readonly manifest: Manifest };
  readonly models: readonly ConfiguredModel[];
} => {
  const called = calledModels(options);
  const steps = [...options.steps.values()]
    .filter(({ step }) => called.has(step.name))
    .map(({ step, read }) => emitStep(step, read, options));
  const names = new Map(steps.map(({ model: { name, tensorNames } }) => [name, tensorNames]));
  const ensembles = [...options.plans.values()].map((planned) =>
    emitEnsemble(withTensorNames(planned, names), options),
  );
  const emitted = [...steps.map(({ model }) => model), ...ensembles.flatMap((one) => one.models)].toSorted(
    (a, b) => (a.name < b.name ? -1 : 1),
  );
  const { models, diagnostics: ofVersions } = appendVersions(emitted, options);
  const tree = new Map<string, TreeFile>();
  for (const model of inLoadOrder(models))
    for (const [path, file] of modelFiles(model.name, model)) tree.set(path, file);
  const ofPaths = checkPaths(tree.keys(), models);
  for (const [path, file] of emitPrepared(models, options.host)) tree.set(path, file);
  const described = describeEnsembles(options);
  const docker = emitDocker(
    models,
    described.map(({ name }) => name),
    options,
  );
  for (const [path, file] of docker.files) tree.set(path, file);
  for (const [path, file] of emitClient(described)) tree.set(`client/${path}`, file);
  const hashes = new Map([...tree].map(([path, file]) => [path, hashFile(file, options.host)]));
  const manifest = describeBuild(models, described, hashes, options);
  tree.set("manifest.json", textFile(`${JSON.stringify(manifest, null, 2)}\n`));
  return {
    diagnostics: [
      ...[...steps, ...ensembles].flatMap(({ diagnostics }) => diagnostics),
      ...ofVersions,
      ...ofPaths,
      ...checkServed(models, options),
      ...docker.diagnostics,
    ],
    build: { tree, manifest },
    models: configuredModels(models, options.profiles),
  };
};

/** The models that clients and ensembles call, and those that their code calls. */
const calledModels = ({ program, plans, steps }: EmitOptions): ReadonlySet<string> => {
  const called = new Set<string>();
  const add = (model: string): void => {
    if (called.has(model)) return;
    called.add(model);
    modelsCalledBy(steps.get(model)?.step ?? {}).forEach(add);
  };
  for (const { plan } of plans.values()) for (const { model } of plan.calls) add(model);
  for (const model of program.exportedSteps.keys()) add(model);
  return called;
};

/** The plan, with the names from the called models' configurations. */
const withTensorNames = (
  planned: PlannedEnsemble,
  names: ReadonlyMap<string, TensorNames | undefined>,
): PlannedEnsemble => ({
  ...planned,
  plan: {
    ...planned.plan,
    calls: planned.plan.calls.map((call) => renamedCall(call, names.get(call.model))),
  },
});

/**
 * An order of file changes that is safe with a polling server: members before ensembles, and a version before the
 * models that request it.
 */
const inLoadOrder = (models: readonly EmittedModel[]): readonly EmittedModel[] => {
  const byName = new Map(models.map((model) => [model.name, model]));
  return loadOrder(models).flatMap((name) => byName.get(name) ?? []);
};
