import type { Signature } from "@tritype/core";
import type { Inferring, Signed } from "./inferring.ts";
import type { TensorrtModelParameters } from "./model-fields/backend-parameters.ts";
import type { ServedModel } from "./served-model.ts";
import type { StandInFields } from "./stand-in.ts";
import { makeDeclared } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** The sizes of one dim for which a plan is built. */
export interface PlanSizes {
  /** The smallest size, 1 for `batch`; smaller requests fail. */
  readonly min: number;
  /** The size for which the plan is fastest. */
  readonly opt: number;
  /** The largest size; larger requests fail. */
  readonly max: number;
}

type DimNames<I extends Signature> = I[keyof I]["dims"][number] & string;

/** How a plan is built from an ONNX file. */
export interface PlanBuild<I extends Signature = Signature> {
  /** The ONNX file, as a path relative to the project's root. It is also the stand-in, unless the step names another file. */
  readonly onnx: string;
  /** The precision that TensorRT may use. `"int8"` needs a file with quantization operators. `"bf16"` since 24.05. Default `"fp32"`. */
  readonly precision?: "bf16" | "fp16" | "fp32" | "int8";
  /** Sizes of every named dim of the inputs. Default for `batch`: from 1 to the largest batch, and fastest at the largest. */
  readonly sizes?: { readonly [N in DimNames<I>]?: PlanSizes };
  /** Memory in MiB that TensorRT may use while it builds and runs the plan. Default: all of the GPU's memory. */
  readonly workspace?: number;
  /** How long TensorRT searches for a fast plan: from 0 to 5. Default 3. */
  readonly optimizationLevel?: number;
  /** Additional arguments for `trtexec`: `["--stronglyTyped"]`. Default none. */
  readonly arguments?: readonly string[];
}

/** Options for one version of a TensorRT model. */
interface OneTensorrt<I extends Signature = Signature> {
  /** Path relative to the project's root: a plan that was built for the server's GPU with the TensorRT version of the server's release. */
  readonly file?: string;
  /** Instead of `file`: how to build the plan on the machine that will run it. */
  readonly build?: PlanBuild<I>;
  /** The same option as on the step. */
  readonly standIn?: string;
}

/** Options for a step that serves a TensorRT plan. */
export interface TensorrtOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends Omit<ServedModel<I, O>, "parameters" | "profiles">,
    StandInFields {
  /** Path relative to the project's root: a plan that was built for the server's GPU with the TensorRT version of the server's release. */
  readonly file?: string;
  /**
   * Instead of `file`: how to build the plan from an ONNX file. The build writes the commands (`prepare/prepare.sh`) and a stage of the
   * Dockerfile that runs them on the machine that will serve the plan.
   */
  readonly build?: PlanBuild<I>;
  /**
   * Instead of `file` or `build`: the files or builds of each version. Triton only serves the highest version unless `versionPolicy` says
   * otherwise.
   */
  readonly versions?: Versions<OneTensorrt<I>>;
  /** Parameters of the TensorRT backend. Default none. */
  readonly parameters?: TensorrtModelParameters;
}

/**
 * A TensorRT plan, served by the TensorRT backend on GPUs. A plan only works with one TensorRT version and one kind of GPU, and only
 * TensorRT can read it, so the declaration is trusted, except for plans that are built from an ONNX file.
 */
export const tensorrt = <const M extends Signed>(
  options: Inferring<
    M,
    OneOrVersions<M, TensorrtOptions<M["inputs"]>, { readonly file: string } | { readonly build: object }>
  >,
): StepOf<M["inputs"], M["outputs"], M> => makeDeclared("tensorrt", options, tensorrt);
