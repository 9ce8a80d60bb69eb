import type { ProfileFields } from "./model-fields/profile-fields.ts";

/** What is otherwise in one profile of a step that has a stand-in. */
export interface StandInProfile extends ProfileFields {
  /**
   * Serve the stand-in in place of the model, on the ONNX Runtime backend. What the step says of `instanceGroup`, `optimization` and
   * `parameters` is meant for its own backend and does not hold then; say under the profile what holds. Default false.
   */
  readonly useStandIn?: boolean;
}

/** What a step may say whose backend other machines do not have. */
export interface StandInFields {
  /**
   * An ONNX file with the declared inputs and outputs, as a path from the project's root: `pipeline dev`, `run` and `verify` run it,
   * and what captures warmup, where the model's own backend is missing; profiles with `useStandIn: true` serve it. Default none.
   */
  readonly standIn?: string;
  /** What is otherwise in a profile, by the profiles' names in `pipeline.config.ts`. Default nothing. */
  readonly profiles?: Readonly<Record<string, StandInProfile>>;
}
