import { type Diagnostic, type DType, dtypeOfConfigName, showType, tryDecodeUtf8 } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { type ModelConfig, type ModelInput, parseModelConfig, servedVersions } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import type { StepVersion, Twin } from "../step-kind.ts";
import { fileBytes, hashFile, type Tree, type TreeFile } from "../tree.ts";
import type { AppendOptions, EmitOptions, EmittedModel } from "./emitted-model.ts";

type Previous = NonNullable<AppendOptions["previous"]>;

/** Keeps the versions from the last build next to the new ones. A model whose files changed gets a new version. */
export const appendVersions = (
  models: readonly EmittedModel[],
  options: EmitOptions,
): { readonly models: readonly EmittedModel[]; readonly diagnostics: readonly Diagnostic[] } => {
  const { previous, keep } = options.append ?? { previous: undefined, keep: 0 };
  if (previous === undefined) return { models, diagnostics: [] };
  const diagnostics: Diagnostic[] = [];
  const appended = models.map((model) => {
    const known = model.listed ? undefined : previous.manifest.models.find(({ name }) => name === model.name);
    return known === undefined ? model : append(model, known, { ...options, previous, keep }, diagnostics);
  });
  return { models: appended, diagnostics };
};

interface Context extends EmitOptions {
  readonly previous: Previous;
  readonly keep: number;
}

const append = (
  model: EmittedModel,
  known: Manifest["models"][number],
  context: Context,
  diagnostics: Diagnostic[],
): EmittedModel => {
  const old = new Map<number, OldVersion>();
  for (const version of numbersOf(known)) {
    const read = readVersion(model, version, known, context);
    if (read === undefined) continue;
    old.set(version, read);
    diagnostics.push(...read.changed);
  }
  const [, latest] = [...model.versions][0] ?? [];
  if (latest === undefined || old.size === 0)
    return latest === undefined ? model : { ...model, versions: new Map([[nextOf(known), latest]]) };
  const newest = Math.max(...old.keys());
  const number = sameFiles(latest.files, old.get(newest)?.hashes, context) ? newest : nextOf(known);
  const all = [...new Set([...old.keys(), number])];
  const kept = keptVersions(model, all, number, context);
  const versions = new Map(
    kept.map((version): [number, StepVersion] => [
      version,
      version === number ? latest : (old.get(version) ?? latest),
    ]),
  );
  if (versions.size > 1) diagnostics.push(...checkSignature(model, context));
  return { ...model, versions };
};

/** Before versions could be listed or appended, only version 1 existed. */
const numbersOf = ({ versions }: Manifest["models"][number]): readonly number[] =>
  versions?.map(({ version }) => version) ?? [1];

/** Numbers are never reused, because a polling server would not notice that a folder was replaced. */
const nextOf = (known: Manifest["models"][number]): number => Math.max(...numbersOf(known)) + 1;

interface OldVersion extends StepVersion {
  /** Path relative to the version's folder → SHA-256, as in the manifest. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly changed: readonly Diagnostic[];
}

/** A version from the last build; undefined if its folder has since been deleted. */
const readVersion = (
  model: EmittedModel,
  version: number,
  known: Manifest["models"][number],
  { previous, host }: Context,
): OldVersion | undefined => {
  const folder = `model_repository/${model.name}/${version}/`;
  const hashes = new Map(
    Object.entries(previous.manifest.files)
      .filter(([path]) => path.startsWith(folder))
      .map(([path, hash]) => [path.slice(folder.length), hash]),
  );
  const files = new Map<string, TreeFile>();
  const changed: { readonly file: string; readonly how: string }[] = [];
  for (const [path, hash] of hashes) {
    const file = previous.tree.get(`${folder}${path}`);
    if (file === undefined) changed.push({ file: path, how: "is missing" });
    else files.set(path, file);
    if (file !== undefined && hashFile(file, host) !== hash) changed.push({ file: path, how: "has changed" });
  }
  if (files.size === 0) return undefined;
  const twin = (known.versions?.find((one) => one.version === version)?.twin ?? known.twin) as
    | Twin
    | undefined;
  return {
    files,
    hashes,
    ...(twin === undefined ? {} : { twin }),
    changed: changed.map(({ file, how }) =>
      diagnose("version/kept-file-changed", {
        with: { model: model.name, version, file: `${version}/${file}`, how },
        labels: model.definition === undefined ? [] : definedAt(model.definition),
      }),
    ),
  };
};

const sameFiles = (
  files: Tree,
  hashes: ReadonlyMap<string, string> | undefined,
  { host }: Context,
): boolean =>
  files.size === hashes?.size &&
  [...files].every(([path, file]) => hashes.get(path) === hashFile(file, host));

/** The newest version, `keep` old versions, and those that the version policy or a call needs, in ascending order. */
const keptVersions = (
  { name, config }: EmittedModel,
  versions: readonly number[],
  newest: number,
  { keep, plans }: Context,
): readonly number[] => {
  const ascending = versions.toSorted((a, b) => a - b);
  const policy = config.version_policy;
  // `all` serves the existing versions, so it requires none.
  const asked =
    policy?.latest === undefined && policy?.specific === undefined ? [] : servedVersions(ascending, policy);
  const called = [...plans.values()].flatMap(({ plan }) =>
    plan.calls.filter(({ model }) => model === name).map(({ version }) => version),
  );
  const old = ascending.filter((version) => version !== newest);
  const needed = new Set([newest, ...asked, ...called, ...(keep === 0 ? [] : old.slice(-keep))]);
  return ascending.filter((version) => needed.has(version));
};

const checkSignature = (model: EmittedModel, { previous, fusion }: Context): readonly Diagnostic[] => {
  const file = previous.tree.get(`model_repository/${model.name}/config.pbtxt`);
  const change = file === undefined ? undefined : signatureChange(file, model.config);
  return change === undefined
    ? []
    : [
        diagnose("version/signature-changed", {
          with: { model: model.name, change },
          labels: model.definition === undefined ? [] : definedAt(model.definition),
          help: helpFor(model, fusion?.fused.has(model.name) === true),
        }),
      ];
};

const helpFor = ({ name, definition }: EmittedModel, fused: boolean): string | undefined => {
  if (definition !== undefined && definition.name !== name)
    return `it is tensor math of \`${definition.name}\`: rename its output, or replace the old versions with \`pipeline build --fresh\``;
  return fused
    ? "its model now contains others: remove `fuse`, or replace the old versions with `pipeline build --fresh`"
    : undefined;
};

/** A clause that says why files made for an old configuration do not fit a new one; undefined if they fit. */
const signatureChange = (file: TreeFile, config: ModelConfig): string | undefined => {
  const text = tryDecodeUtf8(fileBytes(file)) ?? "";
  const read = parseModelConfig(text);
  if ("problem" in read) return `their config.pbtxt cannot be read: ${read.problem.message}`;
  const old = read.config;
  const [was, is] = [runsOn(old), runsOn(config)];
  if (was !== is) return `it runs on ${is}, but the old versions on ${was}`;
  for (const side of ["input", "output"] as const) {
    const [before, after] = [tensorsOf(old, side), tensorsOf(config, side)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [then, now] = [before.get(name), after.get(name)];
      if (then === undefined) return `the ${side} \`${name}\` is new`;
      if (now === undefined) return `the ${side} \`${name}\` is gone`;
      if (then !== now) return `\`${name}\` is ${now}, but ${then} in the old versions`;
    }
  }
  return undefined;
};

const runsOn = ({ platform, backend, default_model_filename: file }: ModelConfig): string =>
  `${backend || platform || "no backend"}${file ? ` (${file})` : ""}`;

/** Name → the property that must not change, in our notation. */
const tensorsOf = (config: ModelConfig, side: "input" | "output"): ReadonlyMap<string, string> =>
  new Map(
    ((config[side] ?? []) as readonly ModelInput[]).map(
      ({ name = "", data_type = "", dims = [], ...rest }) => {
        const dtype: DType | undefined = dtypeOfConfigName(data_type);
        const inside = rest.reshape === undefined ? dims : (rest.reshape.shape ?? []);
        const all = [...((config.max_batch_size ?? 0) > 0 ? ["batch"] : []), ...inside];
        const shown = showType({ dtype: dtype ?? data_type, dims: all });
        return [name, rest.optional === true ? `optional ${shown}` : shown];
      },
    ),
  );
