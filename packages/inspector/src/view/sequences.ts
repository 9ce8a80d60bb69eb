import type { RequestBody, RequestParameters } from "./request-body.ts";

/** A request's place in a sequence, as the form shows it. */
export interface SequencePlace {
  readonly id: string;
  readonly start: boolean;
  readonly end: boolean;
}

/** A request that has been sent as part of a sequence. */
export interface SequenceStep {
  readonly body: RequestBody;
  readonly place: SequencePlace;
}

/**
 * The parameters of a request of a sequence, as in Triton. An id of digits is a number.
 * @param textIds Whether the model only takes texts as ids. Default: no.
 */
export const sequenceParameters = (
  { id, start, end }: SequencePlace,
  textIds = false,
): RequestParameters => ({
  sequence_id: !textIds && /^\d{1,15}$/.test(id) ? Number(id) : id,
  sequence_start: start,
  sequence_end: end,
});

/** The place in the form after a request: the next one continues the sequence, or starts another. */
export const placeAfter = (place: SequencePlace): SequencePlace => ({ ...place, start: place.end });

/**
 * A sequence from its start, as a sequence of its own: a copy with another id, so that it does not disturb the original.
 * @param random From 0 to 1.
 */
export const copyOfSequence = (
  steps: readonly SequenceStep[],
  random: number = Math.random(),
): readonly RequestBody[] => {
  const fresh = smallestId + Math.floor(random * smallestId);
  // A text of the same length, because Triton 24.10 pads shorter ones to 128 bytes, which its backends refuse.
  const idLike = (id: RequestParameters[string] | undefined): number | string =>
    typeof id === "string" ? `${id.slice(0, -String(fresh).length)}${fresh}` : fresh;
  return steps.map(({ body }) =>
    body.withParameters({ ...body.parameters, sequence_id: idLike(body.parameters["sequence_id"]) }),
  );
};

/** Ids from 2^30 to 2^31 fit into every type that a model can ask for. */
const smallestId = 2 ** 30;
