import { messageOf, PipelineError } from "@tritype/core";
import { httpStatusOf } from "@tritype/protocol";
import type { BodyIssue } from "./body-issues.ts";

/** A request that is not answered, with the status that Triton's frontend gives it. */
export class Refusal extends Error {
  readonly status: number;
  /** The member of the request that is at fault. */
  readonly param: string | undefined;
  /** OpenAI's code, which programs can test for. */
  readonly code: "context_length_exceeded" | undefined;
  /** The issues in a body with an invalid structure. */
  readonly issues: readonly BodyIssue[] | undefined;

  constructor(
    status: number,
    message: string,
    more: Partial<Pick<Refusal, "param" | "code" | "issues">> = {},
  ) {
    super(message);
    this.status = status;
    this.param = more.param;
    this.code = more.code;
    this.issues = more.issues;
  }
}

export const badRequest = (message: string, param?: string): Refusal =>
  new Refusal(400, message, param === undefined ? {} : { param });

/** The status of a failure: 400 or 413 if the request is at fault, 404 for a missing model, otherwise 500 or 503. */
export const statusOf = (error: unknown): number => {
  if (error instanceof Refusal) return error.status;
  if (PipelineError.is(error) && error.code === "request/too-large") return 413;
  return httpStatusOf(error);
};

/** Whether neither the request nor a model caused the failure. */
export const isInternal = (error: unknown): boolean => !(error instanceof Refusal || PipelineError.is(error));

/**
 * The body of a failure: `error` as OpenAI's clients read it, and `detail` as Triton's frontend sends it: a
 * string, or the issues in a body with an invalid structure.
 */
export const failureBody = (error: unknown): object => {
  const message = textOf(error);
  const { param, code, issues } = error instanceof Refusal ? error : {};
  const type = statusOf(error) < 500 ? "invalid_request_error" : "server_error";
  return {
    error: { message, type, param: param ?? null, code: code ?? null },
    detail:
      issues?.map((issue) => ({
        type: issue.type,
        loc: ["body", ...issue.path],
        msg: issue.message,
      })) ?? message,
  };
};

/** Requests may be long, and messages quote parts of them. */
const longestText = 8000;

const textOf = (error: unknown): string => {
  const text = messageOf(error);
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
};
