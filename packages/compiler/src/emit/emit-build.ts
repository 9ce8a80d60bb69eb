import { type Diagnostic, encodeUtf8 } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { textFile, type Tree, type TreeFile } from "../tree.ts";
import { emitClient } from "../client/emit-client.ts";
import { describeBuild, describeEnsembles } from "./describe-build.ts";
import { emitEnsemble } from "./emit-ensemble.ts";
import { emitStep } from "./emit-step.ts";
import type { EmitOptions } from "./emitted-model.ts";

/** Emits every model, ensembles after their members, and the manifest beside the repository. */
export const emitBuild = (
  options: EmitOptions,
): {
  readonly diagnostics: readonly Diagnostic[];
  readonly build: { readonly tree: Tree; readonly manifest: Manifest };
} => {
  const diagnostics: Diagnostic[] = [];
  const called = new Set(
    [...options.plans.values()].flatMap(({ plan }) => plan.calls.map(({ model }) => model)),
  );
  const models = [
    ...[...options.program.steps.values()]
      .filter(({ name }) => called.has(name))
      .map((step) => emitStep(step, options, diagnostics)),
    ...[...options.plans.values()].flatMap((planned) => emitEnsemble(planned, options, diagnostics)),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const tree = new Map<string, TreeFile>();
  for (const model of models)
    for (const [path, file] of [...model.files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      tree.set(`model_repository/${model.name}/${path}`, file);
  const ensembles = describeEnsembles(options);
  for (const [path, file] of emitClient(ensembles)) tree.set(`client/${path}`, file);
  const hashes = new Map([...tree].map(([path, file]) => [path, options.host.sha256(bytesOf(file))]));
  const manifest = describeBuild(models, ensembles, hashes, options);
  tree.set("manifest.json", textFile(`${JSON.stringify(manifest, null, 2)}\n`));
  return { diagnostics, build: { tree, manifest } };
};

const bytesOf = (file: TreeFile): Uint8Array => (file.kind === "text" ? encodeUtf8(file.text) : file.bytes);
