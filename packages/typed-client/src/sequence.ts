/// <reference lib="esnext.disposable" preserve="true" />
import { type Answers, answersOf } from "@tritype/core";
import type { Answer, InferOptions, StreamOptions } from "./calls.ts";
import { ClientError } from "./client-error.ts";
import type { Contract } from "./contract.ts";
import type { Parameters } from "./transport.ts";
import { wordFor } from "./word-for.ts";

/** A sequence's ID: an integer from 1 to 2^64 - 1, or a string of 1 to 128 bytes if the model's IDs are strings. */
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

/**
 * The requests of one sequence to an ensemble that streams. Each is sent when its first answer is read and all requests before it
 * have ended; leaving its loop ends it. If one fails, the requests that wait behind it are not sent.
 */
export interface StreamingSequence<Inputs, Outputs> {
  readonly id: SequenceId;
  /** The answers to the next request. */
  stream<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: StreamOptions<Wanted, Raw>,
  ): Answers<Answer<Outputs, Wanted, Raw>>;
  /** The answers to the last request. */
  end<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: StreamOptions<Wanted, Raw>,
  ): Answers<Answer<Outputs, Wanted, Raw>>;
  /** Frees the sequence's slot on the server, as the `end()` of a `Sequence` does. */
  end(): Promise<void>;
  /** Like `end()`; if it fails, the server ends the sequence itself once it has been idle for long enough. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a request of a sequence is sent. `blank` replaces the inputs' elements with zeros and empty strings. */
export interface SequenceCalls {
  infer(
    inputs: unknown,
    options: SequenceInferOptions<string, string>,
    parameters: Parameters,
    blank: boolean,
  ): Promise<unknown>;
  /** Sends the request when the first answer is read. @param left Aborted when the reader stops. */
  stream(
    inputs: unknown,
    options: StreamOptions<string, string>,
    parameters: Parameters,
    blank: boolean,
    left: AbortSignal,
  ): AsyncGenerator<unknown, void, void>;
}

/** A new sequence; nothing is sent yet. @throws ClientError `invalid` for an ID that no sequence can have. @param known Whether its requests are streams; if undefined, the last call decides. */
export const openSequence = (
  contract: Contract | undefined,
  given: SequenceId | undefined,
  calls: SequenceCalls,
  known: boolean | undefined,
): Sequence<never, object> & StreamingSequence<never, object> => {
  const id = given ?? newId(contract?.sequenceIds);
  if (!isId(id))
    throw new ClientError(
      "invalid",
      `a sequence cannot have the id ${wordFor(id)}: it must be an integer from 1 to 2^64 - 1, or a text that is not empty`,
    );
  // Above 2^53, numbers are sent like bigints.
  const sentId = typeof id === "number" ? BigInt(id) : id;
  let streams = known ?? false;
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
  /** Resolves when the requests before `mine` have been answered. */
  const turn = async (earlier: Promise<unknown>): Promise<void> => {
    await earlier.catch((cause: unknown) => {
      const words = "not sent, because an earlier request of the sequence failed";
      throw new ClientError("cancelled", words, { cause });
    });
  };
  const flags = (ends: boolean): Parameters => {
    if (state === "ended")
      throw new ClientError("invalid", "the sequence has ended; open another one with `sequence()`");
    return { sequence_id: sentId, sequence_start: state === "new", sequence_end: ends };
  };
  const answered = (inputs: unknown, ends: boolean): void => {
    [state, latest] = [ends ? "ended" : "running", inputs];
  };
  const failed = (error: unknown, ends: boolean): void => {
    const { kind, mayHaveRun } = error as ClientError;
    if (kind === "forgotten" || (ends && mayHaveRun)) state = "ended";
  };
  const request = async (
    inputs: unknown,
    ends: boolean,
    send: (parameters: Parameters) => Promise<unknown>,
  ) => {
    const parameters = flags(ends);
    try {
      const answer = await send(parameters);
      answered(inputs, ends);
      return answer;
    } catch (error) {
      failed(error, ends);
      throw error;
    }
  };
  const infer = (inputs: unknown, options: SequenceInferOptions<string, string>, ends: boolean) =>
    inTurn(
      turn(before).then(() =>
        request(inputs, ends, (parameters) => calls.infer(inputs, options, parameters, false)),
      ),
    );

  async function* read(
    inputs: unknown,
    options: StreamOptions<string, string>,
    ends: boolean,
    left: AbortSignal,
  ): AsyncGenerator<unknown, void, void> {
    const earlier = before;
    let settle = (_error?: unknown): void => {};
    const mine = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    void inTurn(mine);
    try {
      await turn(earlier);
      const parameters = flags(ends);
      for await (const answer of calls.stream(inputs, options, parameters, false, left)) {
        answered(inputs, ends);
        yield answer;
      }
      answered(inputs, ends);
    } catch (error) {
      failed(error, ends);
      settle(error);
      throw error;
    } finally {
      settle();
    }
  }
  const stream = (
    inputs: unknown,
    options: StreamOptions<string, string>,
    ends: boolean,
  ): Answers<unknown> => {
    const left = new AbortController();
    return answersOf(read(inputs, options, ends, left.signal), () => left.abort(), readTwice);
  };

  const sendBlank = async (parameters: Parameters): Promise<void> => {
    if (!streams) return void (await calls.infer(latest, {}, parameters, true));
    for await (const _ of calls.stream(latest, {}, parameters, true, new AbortController().signal));
  };
  const endNow = async (): Promise<void> => {
    if (state === "running") await request(latest, true, sendBlank);
    state = "ended";
  };
  const end = (): Promise<void> => inTurn(before.catch(() => {}).then(endNow));
  const sequence = {
    id,
    infer: (inputs: unknown, options = {}) => {
      streams = known ?? false;
      return infer(inputs, options, false);
    },
    stream: (inputs: unknown, options = {}) => {
      streams = known ?? true;
      return stream(inputs, options, false);
    },
    end: (inputs?: unknown, options = {}) =>
      inputs === undefined ? end() : (streams ? stream : infer)(inputs, options, true),
    [Symbol.asyncDispose]: () => end().catch(() => {}),
  };
  return sequence as unknown as ReturnType<typeof openSequence>;
};

/** The error for a second loop over the answers to one request. */
export const readTwice = (): ClientError =>
  new ClientError("invalid", "the answers have ended; send another request");

/** Triton takes 0 and "" for a request without a sequence. */
const isId = (id: unknown): boolean => {
  if (typeof id === "string") return id !== "";
  return (
    (typeof id === "bigint" || (typeof id === "number" && Number.isInteger(id))) && id > 0 && id < 2n ** 64n
  );
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
