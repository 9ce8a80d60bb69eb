import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  functionKind,
  parseSite,
  type StepKind,
  tensorCondition,
  translationRequest,
  typeError,
} from "@tritype/compiler";
import { type Diagnostic, invariant, type Site } from "@tritype/core";
import type { StepRecord } from "@tritype/dsl";
import type { JsonShape } from "@tritype/translator";
import { analyseFiles } from "./analyse-files.ts";
import type { BuildInputs } from "../build-inputs.ts";
import { projectFile } from "../node-host.ts";

/** Step → input → the content of its JSON text. */
export type JsonInputs = ReadonlyMap<string, Readonly<Record<string, JsonShape>>>;

/** The knowledge of TypeScript about a project's sources, as far as a build needs it. */
export interface SourceAnalysis {
  /** The kind of `step` and `batchStep`, when the pipeline has such a step. */
  readonly stepKinds: readonly StepKind[];
  /** Errors that only the types reveal. */
  readonly diagnostics: readonly Diagnostic[];
  /** JSON inputs of the functions that can be translated. */
  readonly jsonInputs: JsonInputs;
}

export interface AnalyseSourcesOptions {
  readonly root: string;
  /** The user's files: absolute paths. Default: those where something was recorded. */
  readonly sources?: readonly string[];
  /** Maps the text of a stack so that its frames point to the user's sources. Default: unchanged. */
  readonly mapStack?: (stack: string) => string;
  /** Receives the files that the result depends on. */
  readonly inputs?: BuildInputs | undefined;
}

/**
 * Translates the functions of steps, and looks for type errors in their files and for conditions on tensors. TypeScript
 * is loaded only if needed, and its answers are cached until a file that they depend on changes.
 */
export const analyseSources = async (
  records: readonly StepRecord[],
  { root, sources, mapStack = (stack) => stack, inputs }: AnalyseSourcesOptions,
): Promise<SourceAnalysis> => {
  const isProjectFile = projectFile(root);
  const siteOf = ({ stack }: StepRecord["site"]): Site =>
    parseSite(stack === undefined ? undefined : mapStack(stack), isProjectFile);
  const all = reachable(records);
  const functions = all.filter(({ kind }) => kind === "function");
  const requests = functions.flatMap(
    (record) => translationRequest({ ...record, site: siteOf(record.site) }) ?? [],
  );
  const written = sources?.flatMap((path) => isProjectFile(path) ?? []) ?? recordedIn(all, siteOf);
  const deciding = written.filter((file) => isTypeScript(file) && mayDecide(join(root, file)));
  const found = await analyseFiles(root, { requests, deciding: [...new Set(deciding)].toSorted() });
  for (const path of found.files) if (isProjectFile(path) !== undefined) inputs?.add(resolve(path));
  const translations = new Map(
    requests.map((request, index) => [JSON.stringify(request), found.translations[index]]),
  );
  return {
    stepKinds:
      functions.length === 0
        ? []
        : [
            functionKind((at, options) => {
              const translation = translations.get(JSON.stringify({ at, options }));
              invariant(translation !== undefined, `the function at ${at.file}:${at.line} was not analysed`);
              return translation;
            }),
          ],
    jsonInputs: new Map(
      requests.flatMap(({ options }, index) => {
        const translated = found.translations[index]?.translated;
        return translated === undefined ? [] : [[options.step, translated.jsonInputs] as const];
      }),
    ),
    diagnostics: [...found.typeErrors.map(typeError), ...found.conditions.map(tensorCondition)],
  };
};

/** Every definition that can be reached from these, each once. */
export const reachable = (records: readonly StepRecord[]): readonly StepRecord[] => {
  const seen = new Set<StepRecord>();
  const visit = (record: StepRecord): void => {
    if (seen.has(record)) return;
    seen.add(record);
    for (const node of record.trace?.nodes ?? []) if (node.kind === "step") visit(node.step);
  };
  records.forEach(visit);
  return [...seen];
};

/** Files of the project that defined something, or called something during recording. */
const recordedIn = (
  records: readonly StepRecord[],
  siteOf: (site: StepRecord["site"]) => Site,
): readonly string[] =>
  records.flatMap(({ site, trace }) =>
    [site, ...(trace?.nodes ?? []).map((node) => node.site)].flatMap(siteOf).map(({ file }) => file),
  );

const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file);

/**
 * Whether a file contains something that branches on a value. Comments and strings may look like it; that only costs
 * time.
 */
const mayDecide = (path: string): boolean => {
  try {
    return decision.test(readFileSync(path, "utf8"));
  } catch {
    return false;
  }
};
const decision =
  /\b(?:if|while|switch|Boolean)\s*\(|\bfor\s*\([^;)]*;|&&|\|\||[!=]=|(?<!\?)\?(?![.:?),\]=;])|(?<![\w)\]}"'`])!\s*[\w([{]/;
