import type { Parameter, Parameters } from "../runtime.ts";

/** A 64-bit integer or a string; 0 and "" mean that the request does not belong to a sequence. A number and its digits are different ids. */
export type SequenceId = bigint | string;

/** A request's place in its sequence. */
export interface SequencePlace {
  readonly id: SequenceId;
  readonly starts: boolean;
  readonly ends: boolean;
}

/** Source: extension_sequence.md. */
export const sequencePlace = ({
  sequence_id: id,
  sequence_start: starts,
  sequence_end: ends,
}: Parameters): SequencePlace => ({
  id: typeof id === "string" ? id : unsignedOf(id),
  starts: starts === true,
  ends: ends === true,
});

/** Anything that is not a 64-bit integer counts as 0; negative integers wrap, as in Triton. */
export const unsignedOf = (value: Parameter | undefined): bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))
    ? BigInt.asUintN(64, BigInt(value))
    : 0n;
