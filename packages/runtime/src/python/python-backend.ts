import { PipelineError } from "@tritype/core";
import type { Backend, ModelVersion } from "../backend.ts";
import type { Transport } from "./child-address.ts";
import { findPython } from "./find-python.ts";
import { type InstancePlan, modelArguments, modelPath, planInstances } from "./model-arguments.ts";
import { PythonChild } from "./python-child.ts";
import { startPythonModel } from "./python-model.ts";

export interface PythonBackendOptions {
  /** The interpreter; default `$TRITYPE_PYTHON`, else `python3`, else `python`. It needs numpy. */
  readonly command?: string;
  /** Lines for people: what models print and log, crashes and restarts, each with the instance's name before it. */
  readonly notice: (text: string) => void;
  /** How the processes are reached: by default `unix` where there is one, else `tcp` on the loopback with a token. */
  readonly transport?: Transport;
  /** Milliseconds that a model's `finalize` may take before its process is ended; default 5000. */
  readonly stopGrace?: number;
}

/**
 * Runs `model.py` by the contract of Triton's Python backend, one process per instance. Decoupled models, BLS, custom metrics and
 * model control are refused by name. `load` also throws PipelineError `tool/missing` without Python or numpy.
 */
export const createPythonBackend = (options: PythonBackendOptions): Backend => {
  let python: Promise<string> | undefined;
  return {
    name: "python",
    load: async (model) => {
      const { notice } = options;
      refuseDecoupled(model);
      python ??= findPython(options.command).catch((error: unknown) => {
        python = undefined; // it may be installed before the next load
        throw error;
      });
      const interpreter = await python;
      if (model.config.parameters?.["EXECUTION_ENV_PATH"] !== undefined)
        notice(
          `model '${model.name}' names EXECUTION_ENV_PATH, which Triton uses; here it runs on ${interpreter}`,
        );
      const start = async (instance: InstancePlan): Promise<PythonChild> => {
        const child = await PythonChild.start({ ...options, python: interpreter, instance: instance.name });
        try {
          await child.initialize(modelPath(model), modelArguments(model, instance));
          return child;
        } catch (error) {
          await child.stop();
          throw error;
        }
      };
      return startPythonModel(
        model.name,
        planInstances(model).map((instance) => ({
          name: instance.name,
          notice,
          start: () => start(instance),
        })),
      );
    },
  };
};

const refuseDecoupled = ({ name, config }: ModelVersion): void => {
  if (config.model_transaction_policy?.decoupled === true)
    throw new PipelineError(
      "repository/invalid",
      `model '${name}' uses the decoupled transaction policy, which Tritype's local runtime does not support yet; Triton does`,
    );
};
