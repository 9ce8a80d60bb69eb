import type { Signature } from "@tritype/core";
import type { Inferring, Signed } from "./inferring.ts";
import type { OpenvinoParameters } from "./model-fields/backend-parameters.ts";
import type { ServedModel } from "./served-model.ts";
import type { StandInFields } from "./stand-in.ts";
import { makeDeclared } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** Options for one version of an OpenVINO model. */
interface OneOpenvino {
  /** Path relative to the project's root: the model's `.xml`, with its `.bin` next to it. */
  readonly file: string;
  /** The same option as on the step. */
  readonly standIn?: string;
}

/** Options for a step that serves an OpenVINO model. */
export interface OpenvinoOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends Omit<ServedModel<I, O>, "parameters" | "profiles">,
    StandInFields {
  /** Path relative to the project's root: the model's `.xml`, with its `.bin` next to it. */
  readonly file?: string;
  /** Instead of `file`: the file of each version. Triton only serves the highest version unless `versionPolicy` says otherwise. */
  readonly versions?: Versions<OneOpenvino>;
  /** Parameters of the OpenVINO backend. Default none. */
  readonly parameters?: OpenvinoParameters;
}

/**
 * A model in OpenVINO's intermediate representation, served by the OpenVINO backend. Declare its tensors by their names in the
 * file.
 */
export const openvino = <const M extends Signed>(
  options: Inferring<M, OneOrVersions<M, OpenvinoOptions<M["inputs"]>, { readonly file: string }>>,
): StepOf<M["inputs"], M["outputs"], M> => makeDeclared("openvino", options, openvino);
