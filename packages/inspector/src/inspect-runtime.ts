import { statSync } from "node:fs";
import { join } from "node:path";
import { attempt, groupBy, PipelineError } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { readRepositoryManifest, type Runtime } from "@tritype/runtime";
import type { ModelConfig } from "@tritype/triton";
import type { FindingView, Live, PlaceView } from "./api.ts";
import { describeModels } from "./describe-models.ts";
import { examplesOf } from "./examples.ts";
import { digestOf } from "./digest.ts";
import { activityOf, type Description, type Inspected } from "./inspected.ts";
import { openModelFiles } from "./model-files.ts";
import { readProcess } from "./read-process.ts";
import { bytesText } from "./view/texts.ts";

/** A finding, and the model whose files it is about. */
export interface PlacedFinding {
  readonly model: string | undefined;
  readonly finding: FindingView;
}

export interface RuntimeSource {
  readonly runtime: Runtime;
  /** Its folder. */
  readonly repository: string;
  /** The repository as the user names it. */
  readonly shownRepository: string;
  /** Folder of the project that the repository was built from; if undefined, no sources are shown. */
  readonly root?: string | undefined;
  /** As in `RuntimeOptions`. */
  readonly configName?: string | undefined;
  /** Whether requests of the page may record the tensors between the models. */
  readonly tensors: boolean;
  /** Reads the files; called when the page asks for the first time after a change. */
  check(): Promise<CheckedModels>;
}

/** The results of `pipeline check` for the repository. */
export interface CheckedModels {
  readonly findings: readonly PlacedFinding[];
  /** The models that each model's code calls, as far as the code names them, and the outputs that it requests, if it names all of them. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, readonly string[] | undefined>>;
  /** The compiler's warnings, with places in the project. */
  readonly warnings: readonly FindingView[];
}

/** A runtime of this process, with the files of its repository. */
export const inspectRuntime = (source: RuntimeSource): Inspected => {
  const { runtime, repository, tensors } = source;
  const files = openModelFiles(repository, source.root, source.configName);
  const configOf = (model: string): ModelConfig | undefined => {
    try {
      return runtime.modelConfig(model);
    } catch (error) {
      if (!PipelineError.is(error)) throw error;
      return files.config(model);
    }
  };
  const loadedFiles = (model: string): string | undefined => {
    const loaded = runtime.loadedFiles(model);
    return loaded && digestOf(loaded);
  };
  const operators = new Map<string, { readonly loaded: string | undefined; readonly counts: Counts }>();
  /** The operators of the loaded file, even if there is a newer file that is not loaded yet. */
  const operatorsOf = (model: string, config: ModelConfig): Counts => {
    const loaded = loadedFiles(model);
    const known = operators.get(model);
    if (known !== undefined && known.loaded === loaded) return known.counts;
    const counts = files.operators(model, config);
    operators.set(model, { loaded, counts });
    return counts;
  };
  const describe = async (): Promise<Description> => {
    const manifest = await readRepositoryManifest(repository).catch((error: unknown) => {
      if (PipelineError.is(error)) return undefined;
      throw error;
    });
    const { findings: checked, calls, warnings } = await source.check();
    const found = [
      ...checked,
      ...warnings.map((finding) => ({ model: ownerOf(finding.place, manifest), finding })),
    ];
    const findings = groupBy(found.map(({ model = "", finding }) => [model, finding] as const));
    const models = describeModels({
      statuses: runtime.models(),
      configOf,
      filesOf: loadedFiles,
      manifest,
      findings,
      labelsIn: (model, file) => files.lines(model, file),
      calls,
      descriptionOf: files.description,
      operatorsOf,
    });
    const byName = new Map(models.map((model) => [model.name, model]));
    return {
      overview: {
        repository: source.shownRepository,
        server: runtime.serverMetadata(),
        tensors,
        statistics: true,
        models,
        findings: found.flatMap(({ model, finding }) =>
          model === undefined || !byName.has(model) ? [finding] : [],
        ),
        clients: (manifest?.ensembles ?? []).map(({ name }) => name),
      },
      detail: (model, version) => files.detail(model.name, configOf(model.name) ?? {}, model.source, version),
      examples: (model) => examplesOf(model, byName, manifest, files),
    };
  };
  return {
    tensors,
    stamp: () => {
      const statuses = runtime.models();
      const loaded = statuses.map(({ name }) => runtime.loadedFiles(name));
      return digestOf([modified(join(repository, "..", "manifest.json")), statuses, loaded]);
    },
    describe,
    live: () => live(runtime),
    isUntouched: (model, version) =>
      runtime
        .statistics()
        .some(
          ({ name, version: one, inference_stats: { success, fail } }) =>
            name === model && one === version && success.count + fail.count === 0,
        ),
  };
};

type Counts = Readonly<Record<string, number>> | undefined;

/** The model that is declared at a place in the project or, if none is, the last one that is declared before it. Tensor math is part of an ensemble's declaration. */
const ownerOf = (place: PlaceView | undefined, manifest: Manifest | undefined): string | undefined =>
  (manifest?.models ?? [])
    .flatMap(({ name, kind, source }) =>
      kind !== "tensor-math" &&
      source !== undefined &&
      place !== undefined &&
      source.file === place.file &&
      source.line <= place.line
        ? [{ name, rank: source.line + (kind === "ensemble" ? 0.5 : 0) }]
        : [],
    )
    .toSorted((a, b) => b.rank - a.rank)[0]?.name;

const modified = (path: string): number => attempt(() => statSync(path).mtimeMs) ?? 0;

const percentiles = [0.5, 0.9, 0.99];

const live = (runtime: Runtime): Live => {
  const latencies = new Map(
    runtime
      .recentLatencies(percentiles)
      .map(({ name, version, quantiles }) => [`${name} ${version}`, quantiles] as const),
  );
  return {
    at: performance.now(),
    facts: [`server memory ${bytesText(process.memoryUsage.rss())}`],
    models: runtime.statistics().map((one) => ({
      ...activityOf(one),
      pending: one.pending,
      // JSON has no NaN.
      percentiles: (latencies.get(`${one.name} ${one.version}`) ?? []).flatMap(([, microseconds]) =>
        Number.isNaN(microseconds) ? [] : [microseconds / 1000],
      ),
    })),
    processes: runtime.processes().map(({ name, pid, ...process }) => ({
      model: name,
      ...process,
      ...(pid === undefined ? {} : { pid, ...readProcess(pid) }),
    })),
  };
};
