import type { NodeTwinOptions } from "@tritype/manifest";

/** An error of the client; its text is the response. */
export class InvalidRequest extends Error {}

/** The function threw, or returned something that the step does not declare; the text is the response. */
export class InvalidResult extends Error {}

/** A request's time is over. */
export const overdueText = ({ timeLimit }: NodeTwinOptions): string =>
  `the request took longer than ${timeLimit / 1e6} s`;

/** Follows it if no line of the function has thrown: where the function is written. */
export const placeText = ({ writtenAt }: NodeTwinOptions): string =>
  writtenAt === undefined ? "" : ` (${writtenAt})`;
