import { type Json, siteSpan } from "@tritype/core";
import { type Manifest, type ManifestEnsemble, manifestFormatVersion } from "@tritype/manifest";
import { contractOf } from "./contract.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";

/** What the manifest says of the ensembles, by name. */
export const describeEnsembles = ({ plans, host }: EmitOptions): readonly ManifestEnsemble[] =>
  [...plans.values()]
    .map(({ definition }) => ({
      name: definition.name,
      ...contractOf(definition, host),
      graph: toPlain(definition.graph as unknown as Json),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The manifest of a build. */
export const describeBuild = (
  models: readonly EmittedModel[],
  ensembles: readonly ManifestEnsemble[],
  hashes: ReadonlyMap<string, string>,
  { release }: EmitOptions,
): Manifest => ({
  formatVersion: manifestFormatVersion,
  target: release.container,
  models: models.map(({ name, kind, definition, files, twin }) => {
    const source = definition === undefined ? undefined : siteSpan(definition.site);
    const own = [...files.keys()]
      .toSorted()
      .map((path) => [path, hashes.get(`model_repository/${name}/${path}`) ?? ""]);
    return {
      name,
      kind,
      ...(source === undefined ? {} : { source: { ...source } }),
      ...(twin === undefined
        ? {}
        : { twin: { kind: twin.kind, options: toPlain(twin.options), files: Object.fromEntries(own) } }),
    };
  }),
  ensembles,
  loadOrder: loadOrder(models),
  requirements: [...new Set(models.flatMap(({ requirements }) => requirements))].toSorted(),
  files: Object.fromEntries([...hashes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
});

const loadOrder = (models: readonly EmittedModel[]): string[] => {
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
