import type { RequestBody, RequestParameters } from "./request-body.ts";

/** A request's place in a sequence, as the form shows it. */
export interface SequencePlace {
  readonly id: string;
  readonly start: boolean;
  readonly end: boolean;
}

/** A request of a sequence that has been sent. */
export interface SequenceStep {
  readonly body: RequestBody;
  readonly place: SequencePlace;
}

/** The parameters of a request of a sequence, as in Triton. An id of digits is a number. */
export const sequenceParameters = ({ id, start, end }: SequencePlace): RequestParameters => ({
  sequence_id: isNumber(id) ? Number(id) : id,
  sequence_start: start,
  sequence_end: end,
});

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
  const idLike = (id: string): number | string =>
    isNumber(id) ? fresh : `${id.slice(0, -String(fresh).length)}${fresh}`;
  return steps.map(({ body, place }) =>
    body.withParameters({ ...sequenceParameters(place), sequence_id: idLike(place.id) }),
  );
};

/** Ids from 2^30 to 2^31 fit into every type that a model can ask for. */
const smallestId = 2 ** 30;

const isNumber = (id: string): boolean => /^\d{1,15}$/.test(id);
