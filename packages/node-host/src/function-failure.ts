import type { NodeTwinOptions } from "@tritype/manifest";

/** An error of the client; its message is the response. */
export class InvalidRequest extends Error {}

/** The function threw, or returned something that the step does not declare; the message is the response. */
export class InvalidResult extends Error {}

/** A request ran out of time. */
export const overdueText = ({ timeLimit }: NodeTwinOptions): string =>
  `the request took longer than ${timeLimit / 1e6} s`;

/** Comes after it if no line of the function threw: where the function is written. */
export const placeText = ({ writtenAt }: NodeTwinOptions): string =>
  writtenAt === undefined ? "" : ` (${writtenAt})`;
