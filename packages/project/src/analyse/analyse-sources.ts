import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type BundledFunction,
  bundleRequest,
  defaultFunctions,
  engineOf,
  functionKinds,
  type FunctionSettings,
  type StepKind,
  type StepTranslation,
  tensorCondition,
  translationRequest,
  typeError,
  typesRequest,
} from "@tritype/compiler";
import {
  attempt,
  type Diagnostic,
  invariant,
  type Site,
  type Span,
  type StepDefinition,
} from "@tritype/core";
import { calledRecords, type StepRecord } from "@tritype/dsl";
import type { JsonShape, Translation } from "@tritype/translator";
import { analyseFiles } from "./analyse-files.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { mayDecide } from "./may-decide.ts";
import { createSiteReader } from "../load/site-reader.ts";
import { type BuildInputs, createBuildInputs } from "../build-inputs.ts";
import { bundleFunction } from "../node/bundle-function.ts";
import { loadProblems } from "../node/load-problems.ts";
import { type StepEngine, stepEngines } from "../node/step-engines.ts";
import { projectFile } from "../node-host.ts";

/** Step → input → the content of its JSON text. */
export type JsonInputs = ReadonlyMap<string, Readonly<Record<string, JsonShape>>>;

/** The facts that a build needs from TypeScript about a project's sources. */
export interface SourceAnalysis {
  /** The step kind for `step` and `batchStep`, if the pipeline has such a step. */
  readonly stepKinds: readonly StepKind[];
  /** Errors that only the types reveal. */
  readonly diagnostics: readonly Diagnostic[];
  /** JSON inputs of the functions that can be translated. */
  readonly jsonInputs: JsonInputs;
  /** The engine of each function. */
  readonly engines: readonly StepEngine[];
}

export interface AnalyseSourcesOptions {
  readonly root: string;
  /** The user's files: absolute paths. Default: those where something was recorded. */
  readonly sources?: readonly string[];
  /** Maps the text of a stack so that its frames point to the user's sources. Default: unchanged. */
  readonly mapStack?: (stack: string) => string;
  /** The project's `functions`. Default: Python. */
  readonly functions?: FunctionSettings;
  /** Receives the files that the result depends on. */
  readonly inputs?: BuildInputs | undefined;
}

/**
 * Translates the functions of steps, and searches for type errors in their files and for conditions on tensors. TypeScript is loaded only
 * if needed, and its answers are cached until a file that they depend on changes.
 */
export const analyseSources = async (
  records: readonly StepRecord[],
  {
    root,
    sources,
    mapStack = (stack) => stack,
    functions: settings = defaultFunctions,
    inputs,
  }: AnalyseSourcesOptions,
): Promise<SourceAnalysis> => {
  const isProjectFile = projectFile(root);
  const siteOf = createSiteReader(isProjectFile, mapStack);
  const all = reachable(records);
  const functions = all
    .filter(({ kind }) => kind === "function" || kind === "flow")
    .map(({ callees: _callees, needs: _needs, ...record }) => ({ ...record, site: siteOf(record.site) }));
  const onNode = functions.filter((step) => engineOf(step, settings) === "node");
  const requests = functions.flatMap(
    (step) => (onNode.includes(step) ? typesRequest(step) : translationRequest(step)) ?? [],
  );
  const written = sources?.flatMap((path) => isProjectFile(path) ?? []) ?? recordedIn(all, siteOf);
  const deciding = written.filter((file) => isTypeScript(file) && decides(join(root, file)));
  const found = await analyseFiles(root, { requests, deciding: [...new Set(deciding)].toSorted() });
  for (const path of found.files) if (isProjectFile(path) !== undefined) inputs?.add(resolve(path));
  const translations = new Map(
    requests.map((request, index) => [JSON.stringify(request), found.translations[index]]),
  );
  const bundles = await bundleAll(onNode, { root, settings, inputs });
  return {
    stepKinds:
      functions.length === 0
        ? []
        : [
            ...functionKinds(
              (at, options) => {
                const translation = translations.get(JSON.stringify({ at, options }));
                invariant(
                  translation !== undefined,
                  `the function at ${at.file}:${at.line} was not analysed`,
                );
                return withSchemas(translation);
              },
              {
                settings,
                bundle(request) {
                  const bundled = bundles.get(JSON.stringify(request));
                  invariant(bundled !== undefined, `the function of ${request.step} was not bundled`);
                  return bundled;
                },
              },
            ),
          ],
    jsonInputs: new Map(
      requests.flatMap(({ options }, index) => {
        const { translated, jsonInputs = {} } = found.translations[index] ?? {};
        return translated === undefined ? [] : [[options.step, jsonInputs] as const];
      }),
    ),
    engines: stepEngines(root, functions, settings),
    diagnostics: [...found.typeErrors.map(typeError), ...found.conditions.map(tensorCondition)],
  };
};

const withSchemas = ({ jsonInputs, ...translation }: Translation): StepTranslation => ({
  ...translation,
  jsonSchemas: Object.fromEntries(
    Object.entries(jsonInputs).map(([name, shape]) => [name, jsonSchemaOf(shape)]),
  ),
});

/** The bundles of functions that run on Node, by the requests for them. */
const bundleAll = async (
  steps: readonly Pick<StepDefinition, "name" | "options" | "site">[],
  {
    root,
    settings,
    inputs = createBuildInputs(),
  }: {
    readonly root: string;
    readonly settings: FunctionSettings;
    readonly inputs: BuildInputs | undefined;
  },
): Promise<ReadonlyMap<string, BundledFunction>> => {
  const bundles = new Map<string, BundledFunction>();
  const loaded: { readonly key: string; readonly bundled: BundledFunction; readonly at: Span }[] = [];
  for (const step of steps) {
    const request = bundleRequest(step);
    if (request === undefined) continue;
    const [at, ...callers] = request.site;
    if (at === undefined) continue;
    const { file, line } = at;
    const bundled = await bundleFunction({
      root,
      step: step.name,
      file,
      line,
      callers,
      nodeMajor: settings.node,
      inputs,
    });
    const key = JSON.stringify(request);
    bundles.set(key, bundled);
    // With more permissions, loading may depend on files on the server.
    if (bundled.problems.length + bundled.native.length === 0 && step.options["allow"] === undefined)
      loaded.push({ key, bundled, at: callers.at(-1) ?? at });
  }
  const problems = await loadProblems(root, loaded);
  for (const [index, { key, bundled }] of loaded.entries()) {
    const problem = problems[index];
    if (problem !== undefined) bundles.set(key, { ...bundled, problems: [problem] });
  }
  return bundles;
};

/** Every definition that can be reached from the given ones, without duplicates. */
export const reachable = (records: readonly StepRecord[]): readonly StepRecord[] => {
  const seen = new Set<StepRecord>();
  const visit = (record: StepRecord): void => {
    if (seen.has(record)) return;
    seen.add(record);
    for (const node of record.trace?.nodes ?? []) if (node.kind === "step") visit(node.step);
    calledRecords(record).forEach(visit);
  };
  records.forEach(visit);
  return [...seen];
};

/** Files of the project in which something was defined or called during recording. */
const recordedIn = (
  records: readonly StepRecord[],
  siteOf: (site: StepRecord["site"]) => Site,
): readonly string[] =>
  records.flatMap(({ site, trace }) =>
    [site, ...(trace?.nodes ?? []).map((node) => node.site)].flatMap(siteOf).map(({ file }) => file),
  );

const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file);

const decides = (path: string): boolean => attempt(() => mayDecide(readFileSync(path, "utf8"))) ?? false;
