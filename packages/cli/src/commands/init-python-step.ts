import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { printPython } from "@tritype/compiler";
import { guessHelp, notWritable } from "@tritype/core";
import { recordOf, type StepRecord } from "@tritype/dsl";
import { bundleEntries, projectSettings, reachable, readConfig } from "@tritype/project";
import { makeFolders, writeNew } from "@tritype/wheels";
import type { ExitCode, Given } from "../command.ts";
import { tritonPythonBackendUtilsTemplate } from "../generated/python.ts";
import { projectOf } from "../project/project-of.ts";
import { pythonModel } from "../scaffold/python-model.ts";
import type { Terminal } from "../terminal.ts";
import { cliError } from "../errors.ts";

/** The folder in which editors look for types of modules that are not installed. */
const stubFile = "typings/triton_python_backend_utils.pyi";

/** `pipeline init python-step [step...]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const project = projectOf(given, terminal);
  const { root } = project;
  const settings = projectSettings(project, await readConfig(root, project.configFile));
  const { modules } = await bundleEntries(root, settings.entries);
  const steps = pythonSteps(
    modules.flatMap((module) => Object.values(module)).flatMap((value) => recordOf(value) ?? []),
  );
  const wanted = given.positionals.map((name) => steps.get(name) ?? refuse(name, [...steps.keys()]));
  const files = (wanted.length > 0 ? wanted : [...steps.values()]).map((step) => ({
    step,
    file: fileOf(step),
  }));
  const taken = files.filter(({ file }) => existsSync(join(root, file)));
  const [first] = taken;
  if (wanted.length > 0 && first !== undefined)
    throw cliError("python-step/file-exists", { file: first.file, step: first.step.name });
  // Several steps may have the same file: it is written for the first of them.
  const missing = new Map<string, (typeof files)[number]>();
  for (const one of files) {
    const path = join(root, one.file);
    if (!taken.includes(one) && !missing.has(path)) missing.set(path, one);
  }
  if (missing.size === 0) throw cliError("python-step/none-missing", {});
  const stub = join(root, stubFile);
  for (const [path, { step }] of missing) write(terminal, path, pythonModel(step));
  for (const { step, file } of files) {
    const owner = missing.get(join(root, file))?.step.name ?? step.name;
    if (owner !== step.name)
      terminal.note(`  ${file} is also the file of \`${step.name}\`, but was written for \`${owner}\``);
  }
  if (!existsSync(stub)) write(terminal, stub, printPython(tritonPythonBackendUtilsTemplate, {}));
  terminal.note(
    `types: Pylance and Pyright find ${dirname(stubFile)}/ automatically; MYPYPATH=${dirname(stubFile)} mypy ${[...missing.values()].map(({ file }) => file).join(" ")}`,
  );
  return 0;
};

/** The python() steps that ensembles or other steps' code call, by name. */
const pythonSteps = (exported: readonly StepRecord[]): ReadonlyMap<string, StepRecord> =>
  new Map(
    reachable(exported)
      .filter(({ kind }) => kind === "python")
      .map((record) => [record.name, record]),
  );

const refuse = (name: string, known: readonly string[]): never => {
  throw cliError(
    "python-step/not-called",
    { name },
    {
      help: guessHelp(
        name,
        known,
        known.length === 0
          ? "declare it with python({ … }) and call it in an ensemble"
          : `there is ${known.join(", ")}`,
      ),
    },
  );
};

/** Path relative to the project's root. */
const fileOf = ({ name, options: { file, folder } }: StepRecord): string =>
  typeof file === "string"
    ? file
    : typeof folder === "string"
      ? `${folder.replace(/\/+$/, "")}/model.py`
      : refuseUnnamed(name);

const refuseUnnamed = (name: string): never => {
  throw cliError("python-step/no-file", { name });
};

const write = (terminal: Terminal, path: string, text: string): void => {
  const shown = relative(terminal.cwd, path);
  try {
    makeFolders(dirname(path));
    writeNew(path, text);
  } catch (error) {
    throw notWritable(shown, error, "check the folder's permissions");
  }
  terminal.note(`${terminal.colors.green("wrote")} ${shown}`);
};
