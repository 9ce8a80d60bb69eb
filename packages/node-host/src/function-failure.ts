/** An error of the client; its text is the response. */
export class InvalidRequest extends Error {}

/** The function threw, or returned something that the step does not declare; the text is the response. */
export class InvalidResult extends Error {}
