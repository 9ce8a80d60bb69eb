import type { ProfileFields } from "./model-fields/profile-fields.ts";

/** The fields that one profile overrides for a step with a stand-in. */
export interface StandInProfile extends ProfileFields {
  /**
   * Serve the stand-in instead of the model, on the ONNX Runtime backend. The step's own `instanceGroup`, `optimization` and `parameters`
   * are for its own backend and then do not apply; set them in the profile instead. Default false.
   */
  readonly useStandIn?: boolean;
}

/** Options for a step whose backend other machines may lack. */
export interface StandInFields {
  /**
   * An ONNX file with the declared inputs and outputs, as a path from the project's root: `pipeline dev`, `run`,
   * `verify` and the capture of warmup run it if the model's own backend is missing; profiles with `useStandIn: true`
   * serve it. Default none.
   */
  readonly standIn?: string;
  /** Profile of `pipeline.config.ts` → the fields that it overrides. Default: none. */
  readonly profiles?: Readonly<Record<string, StandInProfile>>;
}
