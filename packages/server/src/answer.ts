import { httpStatusOf } from "@tritype/protocol";
import { errorText } from "./error-text.ts";

/** A complete HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export const emptyAnswer = (status: number): Answer => ({ status, headers: {}, body: "" });

export const jsonAnswer = (value: object): Answer => ({
  status: 200,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

/** `{"error":"…"}`, Triton's response to every failure. */
export const errorAnswer = (status: number, text: string): Answer => ({
  status,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ error: text }),
});

/** The response to a failure: a `PipelineError` with its status, anything else with 500. */
export const failureAnswer = (error: unknown): Answer =>
  errorAnswer(httpStatusOf(error), errorText(error, 8000));
