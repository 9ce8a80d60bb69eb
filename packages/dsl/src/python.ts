import type { Signature } from "@tritype/core";
import { checkOptions } from "./check-options.ts";
import { dslError } from "./errors.ts";
import type { Uses } from "./flow.ts";
import type { Inferring, Signed } from "./inferring.ts";
import type { ServedModel } from "./served-model.ts";
import { makeDeclared, recordOf } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** Parameters of a Python model: those that the backend reads, and those of the model itself. Written as strings. */
export type PythonParameters = BackendParameters & {
  /** The model reads such a parameter in `initialize`: `json.loads(args["model_config"])["parameters"]["name"]["string_value"]`. */
  readonly [name: string]: boolean | number | string;
};

/** Parameters that Triton's python backend itself reads; all other parameters belong to the model. */
interface BackendParameters {
  /** Whether inputs are passed to the model in CPU memory. Default `"yes"`. */
  readonly FORCE_CPU_ONLY_INPUT_TENSORS?: "no" | "yes";
  /** A packed Python environment on the server, such as an archive made with conda-pack. Default: the Python in the image. */
  readonly EXECUTION_ENV_PATH?: string;
}

/** Options for one version of a Python model. */
export interface PythonSource {
  /** The model's Python file, as a path relative to the project's root; emitted as `model.py`. */
  readonly file?: string;
  /** Instead of `file`: a folder that contains `model.py`. Everything in it is emitted, except hidden files and Python's caches. */
  readonly folder?: string;
  /**
   * Additional files next to `model.py`: maps a name in that folder to a file or folder in the project, `{ "labels.json":
   * "assets/labels.json" }`. The model finds the file with `Path(__file__).with_name("labels.json")`. Default: none.
   */
  readonly files?: Readonly<Record<string, string>>;
}

/** Options for a step that runs your own `model.py`. */
export interface PythonOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends ServedModel<I, O>,
    PythonSource {
  /**
   * Instead of `file` or `folder`: the file or folder of each version, `{ 1: { folder: "steps/v1" }, 2: { folder: "steps/v2" } }`. Triton
   * only serves the highest version unless `versionPolicy` says otherwise.
   */
  readonly versions?: Versions<PythonSource>;
  /**
   * Python packages that the model imports, each with its version: `["scipy==1.13.1"]`. They go into the build's `requirements.txt`, which
   * its container installs. numpy, which the python backend needs, is included. pip's hashes, `"scipy==1.13.1 --hash=sha256:…"`, are
   * checked if every package of the build has them. Default none.
   */
  readonly requirements?: readonly string[];
  /** Parameters of the model and of the backend. Default none. */
  readonly parameters?: PythonParameters;
  /**
   * Steps and ensembles that the code calls with `pb_utils.InferenceRequest(model_name=…)`, by the names of their models: `[encoder]`.
   * They become part of the build. Default: none.
   */
  readonly uses?: readonly Uses[string][];
}

/**
 * Your own `model.py`, served by the python backend. The build checks it against the declaration with the rules of `pipeline check`.
 * `pipeline init python-step` creates a file to start from. The model runs on the CPU unless `instanceGroup` says otherwise.
 */
export const python = <const M extends Signed>(
  options: Inferring<
    M,
    OneOrVersions<M, PythonOptions<M["inputs"]>, { readonly file: string } | { readonly folder: string }>
  >,
): StepOf<M["inputs"], M["outputs"], M> => {
  checkOptions("python", options, ["inputs", "outputs"]);
  const { uses, ...rest } = options as unknown as PythonOptions;
  const needs = Object.entries(uses ?? []).map(([index, value]) => {
    const record = recordOf(value);
    if (record === undefined)
      throw dslError("python/not-a-step", { name: rest.name, index }, { option: ["uses", index] });
    return record;
  });
  return makeDeclared("python", rest, python, needs);
};
