/// <reference lib="esnext.disposable" preserve="true" />
import type { Answer, InferOptions } from "./calls.ts";
import { ClientError } from "./client-error.ts";
import type { Contract } from "./contract.ts";
import type { Parameters } from "./transport.ts";

/** A sequence's ID: a number from 1 to 2^64 - 1, or a string of at most 128 bytes if the model's IDs are strings. */
export type SequenceId = number | bigint | string;

/** Settings for one request in a sequence. */
export type SequenceInferOptions<Wanted, Raw> = Omit<InferOptions<Wanted, Raw>, "idempotent">;

/**
 * The requests of one sequence, for models that keep state from one to the next. They are sent one by one, in the order of the
 * calls. If one fails, the requests that wait behind it are not sent.
 */
export interface Sequence<Inputs, Outputs> {
  readonly id: SequenceId;
  /** Sends the next request. */
  infer<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: SequenceInferOptions<Wanted, Raw>,
  ): Promise<Answer<Outputs, Wanted, Raw>>;
  /** Sends the last request. */
  end<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: SequenceInferOptions<Wanted, Raw>,
  ): Promise<Answer<Outputs, Wanted, Raw>>;
  /**
   * Frees the sequence's slot on the server. That requires a request: it contains zeros and empty strings in the shapes
   * of the previous request, and its answer is discarded. Nothing is sent if no request has succeeded.
   */
  end(): Promise<void>;
  /** Like `end()`; if it fails, the server ends the sequence itself once it has been idle for long enough. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sends one request in a sequence. `blank` replaces the inputs' elements with zeros and empty strings. */
export type SendInSequence = (
  inputs: unknown,
  options: SequenceInferOptions<string, string>,
  parameters: Parameters,
  blank: boolean,
) => Promise<unknown>;

/** A new sequence; nothing is sent yet. */
export const openSequence = (
  contract: Contract | undefined,
  given: SequenceId | undefined,
  send: SendInSequence,
): Sequence<never, object> => {
  const id = given ?? newId(contract?.sequenceIds);
  let state: "new" | "running" | "ended" = "new";
  let latest: unknown;
  /** Settles when the previous requests have been answered. */
  let before: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(mine: Promise<T>): Promise<T> => {
    before = mine;
    // By then the caller has seen the failure, so its next request is intentional.
    mine.catch(() => {
      if (before === mine) before = Promise.resolve();
    });
    return mine;
  };
  const request = async (
    inputs: unknown,
    options: SequenceInferOptions<string, string>,
    ends: boolean,
    blank = false,
  ): Promise<unknown> => {
    if (state === "ended")
      throw new ClientError("invalid", "the sequence has ended; open another one with `sequence()`");
    const flags = { sequence_id: id, sequence_start: state === "new", sequence_end: ends };
    try {
      const answer = await send(inputs, options, flags, blank);
      [state, latest] = [ends ? "ended" : "running", inputs];
      return answer;
    } catch (error) {
      const { kind, mayHaveRun } = error as ClientError;
      if (kind === "forgotten" || (ends && mayHaveRun)) state = "ended";
      throw error;
    }
  };
  const ask = (inputs: unknown, options: SequenceInferOptions<string, string>, ends: boolean) =>
    inTurn(
      before.then(
        () => request(inputs, options, ends),
        (cause: unknown) => {
          const words = "a request before it in the sequence failed, so it was not sent";
          throw new ClientError("cancelled", words, { cause });
        },
      ),
    );
  const endNow = async (): Promise<void> => {
    if (state === "running") await request(latest, {}, true, true);
    state = "ended";
  };
  const end = (): Promise<void> => inTurn(before.catch(() => {}).then(endNow));
  const sequence = {
    id,
    infer: (inputs: unknown, options: SequenceInferOptions<string, string> = {}) =>
      ask(inputs, options, false),
    end: (inputs?: unknown, options: SequenceInferOptions<string, string> = {}) =>
      inputs === undefined ? end() : ask(inputs, options, true),
    [Symbol.asyncDispose]: () => end().catch(() => {}),
  };
  return sequence as unknown as Sequence<never, object>;
};

/**
 * A random id. A string id has 128 bytes, because Triton 24.10 pads shorter ones to that size, which its backends refuse. A numeric
 * id is exact in JSON.
 */
const newId = (dtype: string | undefined): SequenceId => {
  if (dtype === "BYTES")
    return Array.from(crypto.getRandomValues(new Uint8Array(64)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  const narrow = dtype?.endsWith("32") ?? false;
  return (narrow ? 0 : (high >>> 11) * 2 ** 32) + Math.max(1, narrow ? low >>> 1 : low);
};
