/** The client's mistake; its text is the answer. */
export class InvalidRequest extends Error {}

/** The function threw, or returned what the step does not declare; the text is the answer. */
export class InvalidResult extends Error {}
