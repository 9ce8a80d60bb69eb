import { existsSync, statSync } from "node:fs";
import { delimiter, join, posix } from "node:path";
import { foreignError, type PipelineError } from "@tritype/core";
import type { ModelVersion } from "../backend.ts";
import { runtimeError } from "../errors.ts";

/** The Python of a model that names its own environment. */
export interface ExecutionEnvironment {
  /** The interpreter's path. */
  readonly python: string;
  /** The variables that activating the environment sets. */
  readonly environment: Readonly<Record<string, string>>;
}

const keyword = "$$TRITON_MODEL_DIRECTORY";

/**
 * The folder in the model's parameter `EXECUTION_ENV_PATH`: a virtual environment, or a conda environment. Undefined if
 * the model does not have the parameter. If `..` leads out of the model's folder, it drops the part before it, even a link.
 * @throws PipelineError `repository/invalid` for an archive, which Triton would unpack, and for a folder without a Python;
 * `model/failed` with Triton's message for a path that does not exist, and for a folder that is not an environment.
 */
export const executionEnvironment = ({
  name,
  folder,
  config,
}: ModelVersion): ExecutionEnvironment | undefined => {
  const written = config.parameters?.["EXECUTION_ENV_PATH"]?.string_value;
  if (written === undefined || written === "") return undefined;
  const expanded = written.replace(keyword, folder);
  const collapsed = posix.normalize(expanded);
  const path = collapsed.startsWith(`${folder}/`) ? expanded : collapsed;
  const unusable = (problem: string, help: string | undefined): PipelineError =>
    runtimeError("python/execution-environment", { model: name, path: written, problem }, { help });
  if (!existsSync(path)) throw foreignError("model/failed", `Failed to get the canonical path for ${path}.`);
  if (!statSync(path).isDirectory())
    throw unusable("is not a folder: archives are not unpacked here", "give the unpacked folder");
  const [programs, python] =
    process.platform === "win32" ? [["Scripts", "."], "python.exe"] : [["bin"], "python3"];
  const script = `${path}/bin/activate`;
  if (process.platform !== "win32" && !existsSync(script))
    throw foreignError(
      "model/failed",
      `Path ${script} does not exist. The Python environment should contain an 'activate' script.`,
      { help: `create it with: python3 -m venv ${path}` },
    );
  const found = programs.map((sub) => join(path, sub)).find((sub) => existsSync(join(sub, python)));
  if (found === undefined)
    throw unusable(`has no ${join(programs[0] ?? "", python)}`, `create it with: python3 -m venv ${path}`);
  const PATH = [found, process.env["PATH"] ?? ""].join(delimiter);
  return { python: join(found, python), environment: { PATH, VIRTUAL_ENV: path } };
};
