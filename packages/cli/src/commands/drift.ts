import { copyFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { notWritable, PipelineError } from "@tritype/core";
import type { DriftReport } from "@tritype/drift";
import { compileProject, lookForProject, type Project, projectSettings, readConfig } from "@tritype/project";
import { ProjectError } from "@tritype/project/diagnostics";
import { makeFolders, writeWhole } from "@tritype/wheels";
import { type ExitCode, type Given, usage } from "../command.ts";
import { refuseUnreadable } from "../checked-paths.ts";
import type { VariantSample } from "../drift/built-samples.ts";
import { compareVariants, defaultBatchSize } from "../drift/compare-variants.ts";
import { givenHeaders } from "../given-headers.ts";
import { configuredDrift } from "../drift/configured-drift.ts";
import { ensemblesWith } from "../drift/ensembles-with.ts";
import { givenLimits } from "../drift/given-limits.ts";
import { madeKind, makeFileVariant, makeModelVariants } from "../drift/made-variants.ts";
import {
  isServer,
  openCompiled,
  type OpenOptions,
  openPair,
  openProject,
  openVariant,
  type Replacements,
  type VariantPair,
} from "../drift/open-variant.ts";
import { printDrift } from "../drift/print-drift.ts";
import { projectOf } from "../project/project-of.ts";
import { shownPath } from "../shown-path.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** `pipeline drift [reference] [candidate]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const limits = givenLimits(given.texts("limit"));
  const batchSize = given.integer("batch-size", [1, 65536]) ?? defaultBatchSize;
  const out = given.text("out");
  // Before a long measurement.
  if (out !== undefined) await inFolder(resolve(terminal.cwd, out), makeFolders);
  const options: OpenOptions = {
    cwd: terminal.cwd,
    notice: noticeOf(terminal),
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
  };
  const pair = await openNamed(given, terminal, options);
  if (pair === undefined) {
    const project = projectOf(given, terminal);
    const compiled = await compileProject(project, { notice: options.notice });
    const reports = await configuredDrift(project, compiled, { ...options, limits, batchSize });
    return finish(reports, new Map(), given, terminal);
  }
  try {
    const own = await configuredLimits(given, terminal);
    const report = await compareVariants(pair.reference, pair.candidate, {
      models: given.texts("model"),
      affected: pair.affected,
      dataset: given.text("dataset"),
      projectSamples: () => projectSamples(given, terminal, options.notice),
      limitsOf: (model) => own[model]?.limits ?? {},
      limits,
      needsOutputs: true,
      batchSize,
      cwd: terminal.cwd,
      notice: options.notice,
    });
    return await finish([report], pair.made, given, terminal);
  } finally {
    await pair.close();
  }
};

interface NamedPair extends VariantPair {
  /** Files for `--make`, by model name. */
  readonly made: Replacements;
  /** The ensembles whose answers may differ, if the variants only differ in some models. */
  readonly affected?: readonly string[] | undefined;
}

/** The variants on the command line; undefined if there are none and the configuration names them. */
const openNamed = async (
  given: Given,
  terminal: Terminal,
  options: OpenOptions,
): Promise<NamedPair | undefined> => {
  const [first, second] = given.positionals;
  const reference = { ...options, headers: variantHeaders("reference", first, given, terminal) };
  const candidate = { ...options, headers: variantHeaders("candidate", second, given, terminal) };
  const kind = madeKind(given);
  const replaced = replacements(given, terminal);
  if (kind !== undefined && replaced.size > 0)
    throw usage("--make and --replace both define the candidate", "remove one of them");
  if ((kind !== undefined || replaced.size > 0) && second !== undefined)
    throw usage(
      `${kind === undefined ? "--replace" : "--make"} and ${second} both define the candidate`,
      "remove one of them; ensembles are named with --model",
    );
  if (kind !== undefined && first !== undefined) {
    const path = resolve(terminal.cwd, first);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      throw usage(
        `--make needs an ONNX file, not ${first}`,
        "name a file; an ensemble is named with --model",
      );
    const made = await makeFileVariant(path, kind, terminal);
    const pair = await openPair(
      () => openVariant(first, options),
      async () => ({ ...(await openVariant(made, options)), name: `${first} as ${kind}` }),
    );
    return { ...pair, made: new Map([[basename(path, ".onnx"), made]]) };
  }
  if (kind !== undefined || replaced.size > 0) {
    const project = projectOf(given, terminal);
    const compiled = await compileProject(project, { notice: options.notice });
    const { build, diagnostics } = compiled.compilation;
    if (build === undefined) throw new ProjectError(project.root, diagnostics);
    const files =
      kind === undefined ? replaced : await makeModelVariants(build, given.texts("step"), kind, terminal);
    const what = [...files].map(([model, file]) => `${kind ?? file} in ${model}`);
    const pair = await openPair(
      () =>
        first === undefined
          ? openCompiled("the project", project, compiled, options)
          : openVariant(first, reference),
      () => openCompiled(`the project with ${what.join(", ")}`, project, compiled, options, files),
    );
    // With a different reference, any model may differ.
    const affected = first === undefined ? ensemblesWith(new Set(files.keys()), compiled) : undefined;
    return { ...pair, made: kind === undefined ? new Map() : files, affected };
  }
  if (first === undefined) {
    const ignored = ["model", "dataset"].find((option) => given.texts(option).length > 0);
    if (ignored === undefined) return undefined;
    throw usage(
      `--${ignored} needs variants on the command line`,
      "name two (`pipeline drift before after`) or make one (`--make int8`); the comparisons in pipeline.config.ts have their own ensembles and datasets",
    );
  }
  const pair = await openPair(
    () => openVariant(first, reference),
    async () =>
      second === undefined
        ? openProject("the project", projectOf(given, terminal), options)
        : openVariant(second, candidate),
  );
  return { ...pair, made: new Map() };
};

/** @throws PipelineError `usage/invalid` if there are headers for a variant that is not a server */
const variantHeaders = (
  variant: "reference" | "candidate",
  named: string | undefined,
  given: Given,
  terminal: Terminal,
): OpenOptions["headers"] => {
  const headers = givenHeaders(given, terminal, `${variant}-header`);
  if (headers === undefined || (named !== undefined && isServer(named))) return headers;
  throw usage(
    `--${variant}-header needs a ${variant} that is a server`,
    "name its address: pipeline drift http://localhost:8000 http://localhost:9000",
  );
};

/** `--replace encoder=models/small.onnx` @throws PipelineError `usage/invalid`, or that of a file that cannot be read */
const replacements = (given: Given, { cwd }: Terminal): Replacements => {
  const replaced = new Map<string, string>();
  for (const option of given.texts("replace")) {
    const [, model, file] = /^([^=]+)=(.+)$/.exec(option) ?? [];
    if (model === undefined || file === undefined)
      throw usage(`--replace is ${option}`, "write --replace encoder=models/encoder.int8.onnx");
    if (replaced.has(model))
      throw usage(`--replace names two files for \`${model}\``, "compare them in two runs");
    refuseUnreadable("file", `--replace ${model}`, file, cwd);
    replaced.set(model, file);
  }
  return replaced;
};

/** The project that the command is run in, if any. */
const nearProject = (given: Given, terminal: Terminal): Project | undefined =>
  given.text("project") === undefined ? lookForProject(terminal.cwd) : projectOf(given, terminal);

/** Empty without a project, and with a notice if the project has errors. */
const projectSamples = async (
  given: Given,
  terminal: Terminal,
  notice: OpenOptions["notice"],
): Promise<readonly VariantSample[]> => {
  const project = nearProject(given, terminal);
  if (project === undefined) return [];
  try {
    const { build, diagnostics } = (await compileProject(project, { notice })).compilation;
    if (build === undefined) throw new ProjectError(project.root, diagnostics);
    return build.samples;
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    notice(`the samples of the project cannot be used: ${error.message}`);
    return [];
  }
};

const configuredLimits = async (given: Given, terminal: Terminal) => {
  const project = nearProject(given, terminal);
  return project === undefined
    ? {}
    : projectSettings(project, await readConfig(project.root, project.configFile)).drift;
};

const finish = async (
  reports: readonly DriftReport[],
  made: Replacements,
  given: Given,
  terminal: Terminal,
): Promise<ExitCode> => {
  const folder = given.text("out");
  if (folder !== undefined) await writeReports(reports, made, folder, terminal);
  terminal.out(
    given.flag("json")
      ? printJson(reports)
      : reports.map((report) => printDrift(report, terminal.outColors)).join("\n\n"),
  );
  return reports.every(({ ok }) => ok) ? 0 : 1;
};

/** One report, or a list if the configuration has several. */
const printJson = (reports: readonly DriftReport[]): string =>
  JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2);

const writeReports = async (
  reports: readonly DriftReport[],
  made: Replacements,
  folder: string,
  terminal: Terminal,
): Promise<void> => {
  const { renderReport } = await import("@tritype/report");
  const { driftPage } = await import("../drift/drift-page.ts");
  const path = resolve(terminal.cwd, folder);
  const written: string[] = [];
  const place = (name: string): string => {
    written.push(shownPath(terminal.cwd, join(path, name)));
    return join(path, name);
  };
  await inFolder(path, async () => {
    for (const [index, report] of reports.entries()) {
      const name = reports.length === 1 ? "drift" : `drift-${report.models[0]?.name ?? index + 1}`;
      writeWhole(place(`${name}.html`), await renderReport(driftPage(report)));
      writeWhole(place(`${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
    }
    for (const [model, file] of made) copyFileSync(file, place(`${model}.${kindOf(file)}.onnx`));
  });
  terminal.note(`${terminal.colors.green("wrote")} ${written.join(", ")}`);
};

/** @throws PipelineError `file/not-writable` for an error of the file system */
const inFolder = async (path: string, write: (path: string) => void | Promise<void>): Promise<void> => {
  try {
    await write(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw notWritable(path, error, "choose another folder with --out");
  }
};

/** `int8`, for a file that `makeOnnxVariant` created. */
const kindOf = (file: string): string => file.split(".").at(-2) ?? "";
