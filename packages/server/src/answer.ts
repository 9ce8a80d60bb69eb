import { printExactJson } from "@tritype/core";
import { httpStatusOf } from "@tritype/protocol";
import { errorText } from "./error-text.ts";

/** A complete HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Called before it is sent. */
  readonly sending?: () => void;
  /** Called when it has been sent, or its client has disconnected. */
  readonly sent?: () => void;
}

/** An HTTP response whose body is sent in pieces. */
export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: AsyncIterable<string>;
  /** Called when it has been sent, or its client has disconnected. */
  readonly sent?: () => void;
}

/** Success without a body. Triton sets this type in advance. */
export const emptyAnswer: Answer = { status: 200, headers: { "Content-Type": "application/json" }, body: "" };

/**
 * The answer in the type that Triton's HTTP library sets when Triton itself sets none: for health, unknown paths, refused callers and most
 * failures of an inference.
 */
export const plainly = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, "Content-Type": "text/plain" },
});

export const jsonAnswer = (value: object): Answer => jsonTextAnswer(JSON.stringify(value));

/** For a value with 64-bit integers that JavaScript's numbers cannot hold. */
export const exactJsonAnswer = (value: object): Answer => jsonTextAnswer(printExactJson(value));

const jsonTextAnswer = (body: string): Answer => ({
  status: 200,
  headers: { "Content-Type": "application/json" },
  body,
});

/** `{"error":"…"}`, Triton's response to every failure. */
export const errorAnswer = (status: number, text: string): Answer => ({
  status,
  headers: { "Content-Type": "application/json" },
  body: errorBody(text),
});

export const errorBody = (text: string): string => JSON.stringify({ error: text });

/** The message of a failure, as a body. */
export const failureText = (error: unknown): string => errorText(error, 8000);

/** The response to a failure: a `PipelineError` with its status, anything else with 500. */
export const failureAnswer = (error: unknown): Answer => {
  const answer = errorAnswer(httpStatusOf(error), failureText(error));
  return plainErrors.has(error as object) ? plainly(answer) : answer;
};

const plainErrors = new WeakSet<object>();

/** The same error, marked so that its answer goes through `plainly`. */
export const answeredPlainly = (error: unknown): unknown => {
  if (typeof error === "object" && error !== null) plainErrors.add(error);
  return error;
};
