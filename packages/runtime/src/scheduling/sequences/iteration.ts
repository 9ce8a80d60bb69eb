import type { ModelRequest } from "../../backend.ts";
import { sequencePlace } from "../../requests/sequence-place.ts";

/** The sequences of an iterative model. */
export interface Iteration {
  /** A request without an id begins a new sequence. */
  begin(request: ModelRequest): ModelRequest;
}

/** Ids count from 1; clients that send ids use the same range. Source: `IterativeSequencer` of Triton core. */
export const createIteration = (): Iteration => {
  let last = 0n;
  return {
    begin: (request) =>
      sequencePlace(request.parameters).id
        ? request
        : placed(request, { sequence_id: ++last, sequence_start: true }),
  };
};

/** A request that its model has rescheduled. */
export const continued = (request: ModelRequest): ModelRequest => placed(request, { sequence_start: false });

const placed = (request: ModelRequest, place: ModelRequest["parameters"]): ModelRequest => ({
  ...request,
  parameters: { ...request.parameters, ...place, sequence_end: false },
});
