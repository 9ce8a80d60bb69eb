import type { NodeTwinOptions } from "@tritype/manifest";

/** A mistake by the client; its message is the response. */
export class InvalidRequest extends Error {}

/** The function threw, or returned something that the step does not declare; the message is the response. */
export class InvalidResult extends Error {}

/** The time limit in milliseconds. A timer for more than 24 days would fire at once. */
export const limitOf = ({ timeLimit }: NodeTwinOptions): number => Math.min(timeLimit / 1000, 2e9);

/** A request ran out of time. */
export const overdueText = ({ timeLimit }: NodeTwinOptions): string =>
  `the request took longer than ${timeLimit / 1e6} s`;

/** Added to the message if no line in the function threw: the position of the function. */
export const placeText = ({ writtenAt }: NodeTwinOptions): string =>
  writtenAt === undefined ? "" : ` (${writtenAt})`;
