import { foreignError, type PipelineError, type TensorData, tensorOf } from "@tritype/core";
import type { Pieces } from "@tritype/generation";
import type { ModelRequest } from "../../backend.ts";
import { failureAt } from "../../failure-at.ts";
import { onAbort } from "../../scheduling/cancellation.ts";

export interface StreamAnswerOptions {
  /** The step's name, for messages. */
  readonly step: string;
  /** undefined if the step returns no text. */
  readonly pieces: Pieces | undefined;
  /** The tokens that end a row. */
  readonly endTokens: readonly number[];
  /** Milliseconds. */
  readonly now: () => number;
  /** Called once, when its final message has been sent. */
  readonly onEnd: () => void;
}

/** The answer to a request of one row, response by response. */
export interface StreamAnswer {
  add(token: number, isLast: boolean): void;
  fail(error: unknown): void;
}

/** Milliseconds between two responses to a request: a small model generates tokens faster than they can be sent. */
const betweenResponses = 20;

/** Does the same as `Row` of `python/answers.py`: one response at a time, each after the reader has received the previous one. */
export const openAnswer = (request: ModelRequest, options: StreamAnswerOptions): StreamAnswer => {
  const { step, pieces, endTokens, now, onEnd } = options;
  /** Tokens since the last response, as the loop generates them. */
  let made: number[] = [];
  /** The tokens that have already become text. */
  let unsent: number[] = [];
  let isComplete = false;
  let failure: PipelineError | undefined;
  let isAnnounced = false;
  let isClosed = false;
  let announcedAt = Number.NEGATIVE_INFINITY;
  /** Ends the wait for the reader to receive a response. */
  let stopWaiting = (): void => {};

  /** The tokens of a response, if there is something to send, and whether it is the last one. */
  const outputs = async (
    tokens: readonly number[],
    isLast: boolean,
  ): Promise<{ readonly found: ReadonlyMap<string, TensorData> | undefined; readonly isLast: boolean }> => {
    if (pieces === undefined) {
      const found = new Map([["sequences", tensorOf("INT64", [1, tokens.length], tokens)]]);
      return { found: tokens.length === 0 ? undefined : found, isLast };
    }
    let ends = isLast;
    for (const token of tokens) {
      unsent.push(token);
      if (await pieces.add(token)) {
        ends = true;
        break;
      }
    }
    const stopped = ends && (await pieces.end());
    const ended = stopped || unsent.slice(-1).some((token) => endTokens.includes(token));
    const piece = pieces.take(ends);
    const something = request.outputs.includes("text") ? piece !== "" : unsent.length > 0;
    if (!ends && !something) return { found: undefined, isLast: false };
    const found = new Map([
      ["sequences", tensorOf("INT64", [1, unsent.length], unsent)],
      ["text", tensorOf("BYTES", [1, 1], [piece])],
      ["finish_reason", tensorOf("BYTES", [1, 1], [ends ? (ended ? "stop" : "length") : ""])],
    ]);
    unsent = [];
    return { found, isLast: ends };
  };
  const close = (): void => {
    isClosed = true;
    stopListening();
    onEnd();
  };
  /** Sends what was generated since the last response. Exactly one message is the final one. */
  const send = async (): Promise<void> => {
    let [tokens, isLast, error] = [made, isComplete, failure];
    made = [];
    if (request.signal?.aborted === true) {
      tokens = [];
      error = foreignError("request/cancelled", `${step}: the request was cancelled`);
    }
    let found: ReadonlyMap<string, TensorData> | undefined;
    try {
      ({ found, isLast } = await outputs(tokens, isLast));
    } catch (cause) {
      error = failureAt(`${step}: `, cause);
      isLast = false;
    }
    if (found !== undefined) {
      if (isLast) close();
      const wanted = new Map([...found].filter(([name]) => request.outputs.includes(name)));
      await new Promise<void>((taken) => {
        stopWaiting = taken;
        request.reply?.({ result: { outputs: wanted }, final: isLast, taken });
        if (isLast || failure !== undefined || request.reply === undefined) taken();
      });
    }
    if (error === undefined || isClosed) return;
    close();
    request.reply?.({ result: { error }, final: true });
  };
  const announce = (): void => {
    if (isAnnounced || isClosed) return;
    isAnnounced = true;
    announcedAt = now();
    void send().then(() => {
      isAnnounced = false;
      if (isComplete || failure !== undefined || request.signal?.aborted === true) announce();
    });
  };
  const stopListening = onAbort(request.signal, announce);
  return {
    add(token, isLast) {
      made.push(token);
      isComplete = isLast;
      if (isLast || now() - announcedAt >= betweenResponses) announce();
    },
    fail(error) {
      failure = failureAt(`${step}: `, error);
      // A reader that does not read would keep the model from closing.
      stopWaiting();
      announce();
    },
  };
};
