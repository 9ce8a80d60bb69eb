import {
  analyseSources,
  checkBuild,
  compileRecords,
  lookForProject,
  type Project,
  projectSettings,
  type ProjectSettings,
  readConfig,
} from "@tritype/project";
import { ProjectError, sourceReader } from "@tritype/project/diagnostics";
import { type CompiledBuild, parseSite } from "@tritype/compiler";
import { hasErrors, inBackticks, invariant, sortDiagnostics } from "@tritype/core";
import { type AnyHandles, defineEnsemble, isCalledByClients, recordOf, type StepRecord } from "@tritype/dsl";
import type { AnyStep } from "./any-step.ts";
import { DiagnosticsError } from "./diagnostics-error.ts";
import { inProcessError } from "./errors.ts";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Compiles this process's steps and ensembles as `pipeline build` does, with the checks of `pipeline check`; the
 * positions of calls come from their stack traces. `root` is the project's folder.
 * @throws DiagnosticsError with all diagnostics.
 */
export const compileSteps = async (
  steps: readonly AnyStep[],
): Promise<CompiledBuild & { readonly root: string }> => {
  const given = steps.map(definitionOf);
  const [first] = given;
  invariant(first !== undefined, "no step to compile");
  const { root, configFile } = projectOf(first);
  const settings = await settingsOf({ root, configFile }).catch((error: unknown) => {
    throw error instanceof ProjectError
      ? new DiagnosticsError("the project cannot be loaded", error.diagnostics, error.readSource, error)
      : error;
  });
  const records = new Set(given.map((record, index) => wrapped(record, steps[index])));
  const analysis = await analyseSources([...records], { root, functions: settings.functions });
  const { diagnostics, build, emitted } = compileRecords([...records], {
    root,
    settings: { ...settings, stepKinds: [...settings.stepKinds, ...analysis.stepKinds] },
    found: analysis.diagnostics,
  });
  const names = inBackticks(given.map(({ name }) => name));
  const { authors, ours } = checkBuild(emitted, { ...settings, docker: false });
  const found = sortDiagnostics([...diagnostics, ...authors, ...ours]);
  if (build === undefined) throw new DiagnosticsError(`${names} does not compile`, found, sourceReader(root));
  const refused = [...authors, ...ours];
  if (hasErrors(refused))
    throw new DiagnosticsError(`Triton would not load ${names}`, refused, sourceReader(root));
  return { ...build, root };
};

const definitionOf = (step: unknown): StepRecord => {
  const record = recordOf(step);
  if (record !== undefined) return record;
  throw inProcessError("run/not-a-definition", {});
};

/** A step is served inside an ensemble, and so is a flow without its own maximum batch size. */
const wrapped = (record: StepRecord, step: AnyStep | undefined): StepRecord => {
  const sized = record.trace !== undefined || record.options["maxBatchSize"] !== undefined;
  return step === undefined || (sized && isCalledByClients(record)) ? record : wrapStep(step, record);
};

/**
 * The project that a definition belongs to: found by searching upwards from its file, or otherwise from the working
 * folder. Without a project, the working folder is the root.
 */
const projectOf = ({ site }: StepRecord): Project => {
  const [defined] = parseSite(site.stack, (path) => {
    const file = path.startsWith("file:") ? fileURLToPath(path) : path;
    return /[\\/]node_modules[\\/]/.test(file) ? undefined : file;
  });
  const here = process.cwd();
  return (
    (defined === undefined ? undefined : lookForProject(dirname(defined.file))) ??
    lookForProject(here) ?? { root: here, configFile: undefined }
  );
};

const read = new Map<string, Promise<ProjectSettings>>();

/** A project's settings; the configuration is loaded only once. */
const settingsOf = (project: Project): Promise<ProjectSettings> => {
  const known = read.get(project.root);
  if (known !== undefined) return known;
  const reading = readConfig(project.root, project.configFile).then((config) =>
    projectSettings(project, config),
  );
  read.set(project.root, reading);
  reading.catch(() => read.delete(project.root));
  return reading;
};

/** Batch size of a step without its own `maxBatchSize`. */
const generousBatch = 1024;

/** An ensemble that contains only the step, so that the step is compiled; requests go to the step's own model. */
const wrapStep = (step: AnyStep, { name, inputs, options }: StepRecord): StepRecord => {
  const batched = Object.values(inputs).some(({ dims }) => dims[0] === "batch");
  const own = options["maxBatchSize"];
  const call = step as unknown as (wires: object) => AnyHandles;
  const ensemble = defineEnsemble({
    name: `${name}_alone`,
    ...(batched ? { maxBatchSize: typeof own === "number" ? own : generousBatch } : {}),
    inputs,
    // An output must not have the name of an input.
    run: (handles) =>
      Object.fromEntries(
        Object.entries(call(handles)).map(([output, handle]) => [
          output in inputs ? `${output}_out` : output,
          handle,
        ]),
      ),
  });
  const record = recordOf(ensemble);
  invariant(record !== undefined, "an ensemble has a record");
  return record;
};
