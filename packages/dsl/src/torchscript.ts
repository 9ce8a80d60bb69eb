import type { Signature } from "@tritype/core";
import type { Inferring, Signed } from "./inferring.ts";
import type { TorchscriptParameters } from "./model-fields/backend-parameters.ts";
import type { ServedModel } from "./served-model.ts";
import type { StandInFields } from "./stand-in.ts";
import { makeDeclared } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** Options for one version of a TorchScript model. */
interface OneTorchscript {
  /** Path relative to the project's root: a file written by `torch.jit.save`. */
  readonly file: string;
  /** The same option as on the step. */
  readonly standIn?: string;
}

/** Options for a step that serves a TorchScript file. */
export interface TorchscriptOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends Omit<ServedModel<I, O>, "parameters" | "profiles">,
    StandInFields {
  /** Path relative to the project's root: a file written by `torch.jit.save`. */
  readonly file?: string;
  /** Instead of `file`: the file of each version. Triton only serves the highest version unless `versionPolicy` says otherwise. */
  readonly versions?: Versions<OneTorchscript>;
  /**
   * How Triton names the tensors. `"numbered"`: `INPUT__0`, `OUTPUT__0` and so on, so the order of the declaration is the order of
   * `forward`'s arguments and of the tuple that it returns, regardless of their names. `"forward"`: inputs are declared with the names of
   * `forward`'s arguments, and outputs in the order of the tuple; Triton shows these names. Default `"numbered"`.
   */
  readonly naming?: "forward" | "numbered";
  /** Parameters of the PyTorch backend. Default none. */
  readonly parameters?: TorchscriptParameters;
}

/**
 * A TorchScript model, served by the PyTorch backend. The order of the keys is the order of `forward`'s arguments and of the
 * tuple that it returns. The compiler reads the signature of `forward` in the file and checks the declaration against it.
 */
export const torchscript = <const M extends Signed>(
  options: Inferring<M, OneOrVersions<M, TorchscriptOptions<M["inputs"]>, { readonly file: string }>>,
): StepOf<M["inputs"], M["outputs"], M> => makeDeclared("torchscript", options, torchscript);
