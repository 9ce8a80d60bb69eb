import { type Dims, encodeUtf8, type Json, siteSpan, type StepDefinition } from "@tritype/core";
import { type Manifest, manifestFormatVersion } from "@tritype/manifest";
import { imageNeeds } from "./docker/image-needs.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";

/** The manifest of a build. */
export const describeBuild = (
  models: readonly EmittedModel[],
  hashes: ReadonlyMap<string, string>,
  { plans, host, release }: EmitOptions,
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
  ensembles: [...plans.values()]
    .map(({ definition: { name, inputs, outputs, graph } }) => ({
      name,
      inputs: plainSignature(inputs),
      outputs: plainSignature(outputs),
      contractHash: host.sha256(encodeUtf8(contractText(inputs, outputs))),
      graph: toPlain(graph as unknown as Json),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  loadOrder: loadOrder(models),
  backends: [...imageNeeds(models).backends],
  requirements: [...new Set(models.flatMap(({ requirements }) => requirements))].toSorted(),
  files: Object.fromEntries([...hashes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
});

/** As clients see them: a tensor of the batch alone has a size-1 dim after it (Triton has no tensors without dims). */
const wireDims = (dims: Dims): Dims => (dims.length === 1 && dims[0] === "batch" ? [...dims, 1] : dims);

type PlainSignature = Manifest["ensembles"][number]["inputs"];
const plainSignature = (signature: StepDefinition["inputs"]): PlainSignature =>
  Object.fromEntries(
    Object.entries(signature).map(([name, { dtype, dims }]) => [name, { dtype, dims: [...wireDims(dims)] }]),
  );

/** What a client depends on: names, dtypes, sizes; the names of dims are only labels. */
const contractText = (inputs: StepDefinition["inputs"], outputs: StepDefinition["outputs"]): string => {
  const side = (signature: StepDefinition["inputs"]): readonly Json[] =>
    Object.entries(signature)
      .map(([name, { dtype, dims }]) => [
        name,
        dtype,
        wireDims(dims).map((dim) => (typeof dim === "number" ? dim : -1)),
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify({ inputs: side(inputs), outputs: side(outputs) });
};

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
