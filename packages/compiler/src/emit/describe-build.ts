import { encodeUtf8, type Json, siteSpan, ownValue } from "@tritype/core";
import { type Manifest, type ManifestEnsemble, manifestFormatVersion } from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import type { StepVersion } from "../step-kind.ts";
import { acceptedInputs } from "../graph/accepted-inputs.ts";
import { findTextModel } from "../graph/find-text-model.ts";
import { graphOfCall } from "../graph/graph-of-call.ts";
import { contractOf, wayOf } from "./contract.ts";
import { imageNeeds } from "./docker/image-needs.ts";
import { withoutHashes } from "./docker/resolve-requirements.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";

/** The manifest's entries for the models that clients call, by name. */
export const describeEnsembles = (options: EmitOptions): readonly ManifestEnsemble[] =>
  [
    ...[...options.plans.values()].flatMap(({ definition }) =>
      definition.behind === undefined ? [definition] : [],
    ),
    ...[...options.program.exportedSteps.values()].map((step) => ({ ...step, graph: graphOfCall(step) })),
  ]
    .map((definition) => {
      const contract = contractOf(definition, options.host, wayOf(options, definition.name));
      const accepted = acceptedInputs(definition, options);
      const textModel = findTextModel(
        options.program.ensembles.get(definition.name) ?? definition,
        options.steps,
      );
      return {
        name: definition.name,
        ...contract,
        inputs: Object.fromEntries(
          Object.entries(contract.inputs).map(([name, tensor]) => {
            const accepts = ownValue(accepted, name);
            return [name, accepts === undefined ? tensor : { ...tensor, accepts }];
          }),
        ),
        ...(textModel === undefined ? {} : { textModel }),
        graph: toPlain(definition.graph as unknown as Json),
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** A build's manifest. */
export const describeBuild = (
  models: readonly EmittedModel[],
  ensembles: readonly ManifestEnsemble[],
  hashes: ReadonlyMap<string, string>,
  { host, release, captured, fusion }: EmitOptions,
): Manifest => ({
  formatVersion: manifestFormatVersion,
  target: release.container,
  models: models.map((model) => ({ ...describeModel(model, hashes, host), ...fusionOf(model.name, fusion) })),
  ensembles,
  loadOrder: loadOrder(models),
  backends: [...imageNeeds(models).backends],
  requirements: [
    ...new Set(models.flatMap(({ requirements }) => requirements.map(withoutHashes))),
  ].toSorted(),
  ...(captured === undefined
    ? {}
    : { warmup: { key: captured.key, requests: models.flatMap(({ warmup = [] }) => warmup) } }),
  ...(captured?.padding === undefined || captured.padding.length === 0 ? {} : { padding: captured.padding }),
  files: Object.fromEntries([...hashes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
});

type ManifestModel = Manifest["models"][number];

const fusionOf = (
  model: string,
  fusion: EmitOptions["fusion"],
): Pick<ManifestModel, "fused" | "notFused"> => {
  const [fused, notFused] = [fusion?.fused.get(model), fusion?.notFused.get(model)];
  return {
    ...(fused === undefined ? {} : { fused }),
    ...(notFused === undefined ? {} : { notFused }),
  };
};

const describeModel = (
  {
    name,
    kind,
    definition,
    site = definition?.site ?? [],
    files,
    versions,
    functions,
    packages = [],
    calls = [],
  }: EmittedModel,
  hashes: ReadonlyMap<string, string>,
  host: CompilerHost,
): ManifestModel => {
  const source = siteSpan(site);
  const hashOf = (path: string): [string, string] => [
    path,
    hashes.get(`model_repository/${name}/${path}`) ?? "",
  ];
  const inFolder = (number: number, { files: own }: StepVersion): string[] =>
    [...own.keys()].map((path) => `${number}/${path}`);
  const twinOf = (number: number, version: StepVersion): Pick<ManifestModel, "twin"> => {
    if (version.twin === undefined) return {};
    const own = [...files.keys(), ...inFolder(number, version)].toSorted().map(hashOf);
    const { kind: twin, options } = version.twin;
    return { twin: { kind: twin, options: toPlain(options), files: Object.fromEntries(own) } };
  };
  const [first] = versions;
  const several = versions.size > 1;
  return {
    name,
    kind,
    ...(source === undefined ? {} : { source: { ...source } }),
    ...(several || first === undefined ? {} : twinOf(...first)),
    ...(functions === undefined ? {} : { functions }),
    ...(packages.length === 0 ? {} : { packages }),
    ...(calls.length === 0 ? {} : { calls }),
    versions: [...versions].map(([number, version]) => ({
      version: number,
      hash: hashVersion(inFolder(number, version).map(hashOf), number, host),
      ...(several ? twinOf(number, version) : {}),
      ...(version.prepared === undefined ? {} : { prepared: version.prepared.map(({ path }) => path) }),
    })),
  };
};

/** The folder's number does not affect the hash, so equal files have the same hash. */
const hashVersion = (
  files: readonly (readonly [string, string])[],
  number: number,
  host: CompilerHost,
): string => {
  const inside = files.map(([path, hash]) => [path.slice(`${number}/`.length), hash]);
  return host.sha256(encodeUtf8(JSON.stringify(inside.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)))));
};

/** Names; members come before the ensembles that need them. */
export const loadOrder = (models: readonly EmittedModel[]): string[] => {
  const byName = new Map(models.map((model) => [model.name, model]));
  const order: string[] = [];
  const visit = (name: string): void => {
    if (order.includes(name)) return;
    for (const needed of byName.get(name)?.needs ?? []) visit(needed);
    order.push(name);
  };
  for (const { name } of models) visit(name);
  return order;
};

const toPlain = (value: Json): never => JSON.parse(JSON.stringify(value)) as never;
