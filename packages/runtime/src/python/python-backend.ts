import { readFile } from "node:fs/promises";
import { parseExactJson, printExactJson } from "@tritype/core";
import { isDecoupled, type ModelConfig, modelConfigFromJson, modelConfigToJson } from "@tritype/triton";
import type { Backend, ModelVersion } from "../backend.ts";
import { executionEnvironment } from "./execution-environment.ts";
import { findPython, type FoundPython } from "./find-python.ts";
import { modelArguments, modelPath, planProcesses } from "./model-arguments.ts";
import { type ChildOptions, PythonChild } from "./python-child.ts";
import { startPythonModel } from "./python-model.ts";
import { runtimeError } from "../errors.ts";

export interface PythonBackendOptions
  extends Pick<ChildOptions, "executionLimit" | "host" | "notice" | "stopGrace" | "transport"> {
  /** The interpreter; default `$TRITYPE_PYTHON`, otherwise `python3`, otherwise `python`. It needs numpy. */
  readonly command?: string;
  /** Reports the interpreter of Python models, one line for each interpreter. Default: `notice`. */
  readonly tellPython?: ((text: string) => void) | undefined;
}

/**
 * Runs `model.py` according to the contract of Triton's Python backend, one process per instance. `complete` and `load`
 * also throw PipelineError `tool/missing` without Python or numpy.
 */
export const createPythonBackend = (options: PythonBackendOptions): Backend => {
  let python: Promise<string> | undefined;
  const warned = new Set<string>();
  const tellOnce = ({ executable, version, numpy }: FoundPython): void => {
    if (warned.has(executable)) return;
    warned.add(executable);
    (options.tellPython ?? options.notice)(
      `Python models run on ${executable} (Python ${version}, numpy ${numpy})`,
    );
  };
  const pythonOf = async (model: ModelVersion): Promise<Pick<Start, "python" | "environment">> => {
    const own = executionEnvironment(model);
    if (own !== undefined) return own;
    python ??= findPython(options.command).catch((error: unknown) => {
      python = undefined; // Python may be installed before the next load.
      throw error;
    });
    return { python: await python };
  };
  const startChild = async <T>(
    model: ModelVersion,
    instance: string,
    prepare: (child: PythonChild) => Promise<T>,
  ): Promise<{ readonly child: PythonChild; readonly prepared: T }> => {
    const child = await PythonChild.start({
      ...options,
      ...(await pythonOf(model)),
      model: model.name,
      instance,
      onPython: tellOnce,
    });
    try {
      return { child, prepared: await prepare(child) };
    } catch (error) {
      await child.stop();
      throw error;
    }
  };

  return {
    name: "python",
    complete: async (model) => {
      const text = await readFile(modelPath(model), "utf8").catch(() => "");
      // If a model lacks the method, no process is needed to find out.
      if (!text.includes("auto_complete_config")) return model.config;
      const config = printExactJson(modelConfigToJson(model.config));
      const { child, prepared } = await startChild(model, model.name, (started) =>
        started.completeConfig(modelPath(model), model.name, config),
      );
      await child.stop();
      return completedConfig(model, prepared);
    },
    load: async (model) => {
      const plans = planProcesses(model).map((instance) => ({
        name: instance.name,
        notice: options.notice,
        start: async () => {
          const prepare = (child: PythonChild) =>
            child.initialize(modelPath(model), modelArguments(model, instance));
          return (await startChild(model, instance.name, prepare)).child;
        },
      }));
      return startPythonModel(model.name, isDecoupled(model.config), plans);
    },
  };
};

type Start = Parameters<typeof PythonChild.start>[0];

const completedConfig = ({ name }: ModelVersion, json: string): ModelConfig => {
  const read = modelConfigFromJson(parseExactJson(json));
  if ("problem" in read)
    throw runtimeError("python/bad-auto-complete", { model: name, why: read.problem.message });
  return read.config;
};
