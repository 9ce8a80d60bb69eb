import { type Answers, answersOf } from "@tritype/core";
import type { Answer, CallOptions, InferOptions, StreamOptions } from "./calls.ts";
import { ClientError } from "./client-error.ts";
import { contractProblem } from "./compare-contracts.ts";
import { type Contract, streamsOf } from "./contract.ts";
import { decodeOutputs } from "./decode-outputs.ts";
import { elementCount } from "./elements.ts";
import { encodeInputs } from "./encode-inputs.ts";
import { onFirstUse } from "./first-use.ts";
import { isBusy, jitteredBackoff, withRetries } from "./retry.ts";
import { openScope, type Scope } from "./scope.ts";
import {
  openSequence,
  readTwice,
  type Sequence,
  type SequenceCalls,
  type SequenceId,
  type StreamingSequence,
} from "./sequence.ts";
import type { Parameters, Target, Transport, WireRequest, WireTensor } from "./transport.ts";
import { wordFor } from "./word-for.ts";

/** Settings for a client, over HTTP or gRPC. */
export interface ClientOptions {
  /** Version of the model. Default: the server's latest. */
  readonly version?: string;
  /**
   * Time limit for a call in milliseconds, including the contract check and retries. Default, and from 2e9 on: no limit. Over HTTP,
   * Node's own `fetch` gives up if no data arrives for 300 s.
   */
  readonly deadlineMs?: number;
  /**
   * How many times a request that certainly did not run is retried. Default 2. A request over HTTP is also sent once more if
   * a reused connection was closed before the answer began, unless it belongs to a sequence. If the
   * server asks for a wait of more than 60 seconds (`Retry-After`), it is not retried.
   */
  readonly retries?: number;
  /** Milliseconds before retry 1, 2, … Default: random, up to 100, 200, 400, …, at most 5000. */
  readonly backoff?: (retry: number) => number;
  /**
   * Default true: before the first inference, the server's ensemble is compared with the one that this client was
   * generated for, and again after a failure that a change on the server would explain.
   */
  readonly checkContract?: boolean;
}

/** Calls to an ensemble that answers each request once. */
export interface Infers<Inputs, Outputs> {
  /** Sends one request. The client checks the inputs first; the first call also checks the contract. */
  infer<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: InferOptions<Wanted, Raw>,
  ): Promise<Answer<Outputs, Wanted, Raw>>;
  /** Opens a sequence, for models that keep state from one request to the next. Default id: a random one. */
  sequence(options?: { readonly id?: SequenceId }): Sequence<Inputs, Outputs>;
}

/** Calls to an ensemble that streams. */
export interface Streams<Inputs, Outputs> {
  /**
   * The answers to one request, as they arrive: `for await (const { text } of client.stream({ prompt: ["…"] }))`. The
   * request is sent when the first answer is read; leaving the loop cancels it. A request is retried only if it
   * certainly did not run.
   */
  stream<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: StreamOptions<Wanted, Raw>,
  ): Answers<Answer<Outputs, Wanted, Raw>>;
}

/** Calls that every client has. */
export interface Connected {
  /** Checks the contract now instead of before the first inference; sends one request per client. */
  check(options?: CallOptions): Promise<void>;
  /** Whether the server can answer; false if there is no server. */
  ready(options?: CallOptions): Promise<boolean>;
  /** Closes open connections. */
  close(): void;
}

/** A client for one ensemble. Every failure rejects with a `ClientError`. */
export interface Client<Inputs, Outputs> extends Connected, Infers<Inputs, Outputs> {}

/** A client for one ensemble that streams. Every failure is a `ClientError`, thrown in the loop. */
export interface StreamingClient<Inputs, Outputs> extends Connected, Streams<Inputs, Outputs> {
  /** Not available, because there may be more than one answer. */
  infer(
    ...inputs: readonly "✗ this ensemble streams: `for await (const answer of client.stream(inputs))`"[]
  ): never;
  /**
   * Opens a sequence; only over gRPC, because Triton's HTTP streams have no sequences. Default id: a random one.
   * `streams` is needed only by a client that was created with a name, if `end(inputs)` is the sequence's first call.
   */
  sequence(options?: {
    readonly id?: SequenceId;
    readonly streams?: true;
  }): StreamingSequence<Inputs, Outputs>;
}

/** A client for an ensemble that is known only by its name: it may or may not stream. */
export interface AnyClient<Inputs, Outputs>
  extends Connected,
    Omit<Infers<Inputs, Outputs>, "sequence">,
    Streams<Inputs, Outputs> {
  /** Opens a sequence of an ensemble that streams; only over gRPC, because Triton's HTTP streams have no sequences. */
  sequence(options: { readonly id?: SequenceId; readonly streams: true }): StreamingSequence<Inputs, Outputs>;
  /** Opens a sequence of an ensemble that answers once. Default id: a random one. */
  sequence(options?: { readonly id?: SequenceId }): Sequence<Inputs, Outputs>;
}

/** The client for a contract; `Streams` is whether the ensemble streams. */
export type ClientOf<Inputs, Outputs, Streaming extends boolean> = [Streaming] extends [true]
  ? StreamingClient<Inputs, Outputs>
  : Client<Inputs, Outputs>;

/**
 * A client over any transport. Given only the ensemble's name, it asks the server for the rest on first use.
 * @throws ClientError `invalid` for an invalid option.
 */
export const openClient = <Inputs, Outputs, Streaming extends boolean>(
  transport: Transport,
  ensemble: Contract<Inputs, Outputs, Streaming> | string,
  options: ClientOptions,
): ClientOf<Inputs, Outputs, Streaming> => {
  const { version, retries = 2, backoff = jitteredBackoff, checkContract = true } = options;
  if (!(Number.isInteger(retries) && retries >= 0) && retries !== Infinity)
    throw new ClientError("invalid", `retries must be an integer from 0, got ${wordFor(retries)}`);
  const own: Contract | undefined = typeof ensemble === "string" ? undefined : (ensemble as Contract);
  const model = typeof ensemble === "string" ? ensemble : (ensemble as Contract | undefined)?.name;
  if (typeof model !== "string" || model === "")
    throw new ClientError("invalid", `ensemble must be an ensemble or its name, got ${wordFor(ensemble)}`);
  const target: Target = { model, version };

  const describe = async (signal: AbortSignal): Promise<Contract> => {
    const scope = openScope(signal, undefined);
    try {
      const policy = { retries, backoff, idempotent: true };
      return await withRetries(() => transport.describe(target, scope), policy, scope);
    } finally {
      scope.close();
    }
  };
  /** The server's contract, which is requested once. */
  let served = onFirstUse(describe);
  const forget = (stale: typeof served): void => {
    if (served === stale) served = onFirstUse(describe);
  };
  /** The server's contract that was found to fit last, and the outputs that were compared. */
  let fitting: Contract | undefined;
  let fittingOutputs: string | undefined;
  /**
   * The contract of a call.
   * @param known The contract that the server's must fit. Default: the server's.
   * @param outputs The outputs that the call reads. Default: all.
   */
  const agree = async (
    scope: Scope,
    known: Contract | undefined,
    outputs?: readonly string[],
  ): Promise<Contract> => {
    const asked = served;
    const server = await asked(scope);
    if (known === undefined) return server;
    if (known.hash !== undefined && known.hash === server.hash) return known;
    if (server !== fitting || outputs?.join() !== fittingOutputs) {
      const problem = contractProblem(known, server, own === undefined, outputs);
      if (problem !== undefined) {
        forget(asked);
        throw problem;
      }
      fitting = server;
      fittingOutputs = outputs?.join();
    }
    const streams = streamsOf(server) ?? streamsOf(known);
    return streams === undefined ? known : { ...known, streams };
  };
  const within = async <T>(
    call: CallOptions,
    work: (scope: Scope, inference: Inference) => Promise<T>,
  ): Promise<T> => {
    const scope = openScope(call.signal, call.deadlineMs ?? options.deadlineMs);
    const inference: Inference = { mayHaveRun: false };
    try {
      return await work(scope, inference);
    } catch (error) {
      throw await reasonOf(error, scope, inference);
    } finally {
      scope.close();
    }
  };

  /** Once we have closed a connection, its own error does not matter. */
  const reasonOf = async (error: unknown, scope: Scope, inference: Inference): Promise<unknown> => {
    const reason = scope.ended() ?? error;
    if (!(reason instanceof ClientError)) return reason;
    let changed: ClientError | undefined;
    if (mayBeOutdated(reason))
      await inference.compareAgain?.().catch((found: ClientError) => {
        if (found.kind === "contract") changed = Object.assign(found, { cause: reason });
      });
    return Object.assign(changed ?? reason, { mayHaveRun: inference.mayHaveRun });
  };

  const infer = async (
    inputs: unknown,
    call: InferOptions<string, string>,
    scope: Scope,
    inference: Inference,
    blank = false,
  ): Promise<unknown> => {
    const { contract, wanted, requestNow } = await readyToSend(inputs, call, scope, inference, false, blank);
    const policy = { retries, backoff, idempotent: call.idempotent ?? false, inSequence: isInSequence(call) };
    const send = () => noting(inference, () => transport.infer(requestNow(), scope));
    return decodeOutputs(contract, wanted, await withRetries(send, policy, scope));
  };

  const readyToSend = async (
    inputs: unknown,
    call: StreamOptions<string, string>,
    scope: Scope,
    inference: Inference,
    streams: boolean,
    blank = false,
  ) => {
    // If the contract is known, a mistake in the request is reported before anything is sent.
    const given = parametersOf(call);
    if (own !== undefined) requireWay(own, streams, isInSequence(call));
    const early = own === undefined ? undefined : prepare(own, inputs, call);
    const outputs = early?.wanted.outputs;
    const asked = served;
    const trusted = checkContract ? undefined : own;
    const contract = trusted ?? (await agree(scope, own, outputs));
    if (trusted === undefined)
      inference.compareAgain = () => {
        forget(asked);
        return agree(scope, contract, outputs);
      };
    requireWay(contract, streams, isInSequence(call));
    const { encoded, wanted } = early ?? prepare(contract, inputs, call);
    const sent = blank ? encoded.map((one) => ({ ...one, data: new Uint8Array(blankSize(one)) })) : encoded;
    const requestNow = (): WireRequest => {
      const parameters = { ...timeout(scope), ...given };
      return { ...target, id: call.id, parameters, inputs: sent, ...wanted };
    };
    return { contract, wanted, requestNow };
  };

  async function* stream(
    inputs: unknown,
    call: StreamOptions<string, string>,
    left: AbortSignal,
    blank = false,
  ): AsyncGenerator<unknown, void, void> {
    const scope = openScope(call.signal, call.deadlineMs ?? options.deadlineMs, left);
    const inference: Inference = { mayHaveRun: false };
    let answers: AsyncGenerator<readonly WireTensor[], void, void> | undefined;
    try {
      const { contract, wanted, requestNow } = await readyToSend(inputs, call, scope, inference, true, blank);
      // After the first answer, nothing is retried.
      const open = () =>
        noting(inference, async () => {
          answers = transport.stream(requestNow(), contract, scope);
          return await answers.next();
        });
      const policy = { retries, backoff, idempotent: false, inSequence: isInSequence(call) };
      let next = await withRetries(open, policy, scope);
      for (; !next.done; next = (await answers?.next()) ?? { done: true, value: undefined })
        yield decodeOutputs(contract, wanted, next.value, own === undefined);
    } catch (error) {
      throw await reasonOf(error, scope, inference);
    } finally {
      await answers?.return();
      scope.close();
    }
  }

  const sequence = ({
    id,
    streams: given,
  }: {
    readonly id?: SequenceId;
    readonly streams?: boolean;
  } = {}) => {
    const streams = own === undefined ? given : streamsOf(own) === true;
    if (own?.hash !== undefined && own.sequenceIds === undefined) {
      const instead = streams === true ? "stream" : "infer";
      throw new ClientError("invalid", `${own.name} has no model with sequences: call \`${instead}\``);
    }
    const calls: SequenceCalls = {
      infer: (inputs, call, flags, blank) =>
        within(call, (scope, inference) => infer(inputs, withFlags(call, flags), scope, inference, blank)),
      stream: (inputs, call, flags, blank, left) => stream(inputs, withFlags(call, flags), left, blank),
    };
    return openSequence(own, id, calls, streams);
  };

  const client = {
    infer: (inputs: unknown, call: InferOptions<string, string> = {}) =>
      within(call, (scope, inference) => infer(inputs, call, scope, inference)),
    stream: (inputs: unknown, call: StreamOptions<string, string> = {}) => {
      const left = new AbortController();
      return answersOf(stream(inputs, call, left.signal), () => left.abort(), readTwice);
    },
    sequence,
    check: (call: CallOptions = {}) => within(call, async (scope) => void (await agree(scope, own))),
    ready: (call: CallOptions = {}) => within(call, (scope) => transport.ready(target, scope)),
    close: () => transport.close(),
  };
  return client as unknown as ClientOf<Inputs, Outputs, Streaming>;
};

/** The state of one call's inference. It covers only the call's own attempts, not other requests. */
interface Inference {
  mayHaveRun: boolean;
  /** Compares the call's contract with the server's current one; absent if the caller disabled the check. */
  compareAgain?: () => Promise<unknown>;
}

/** Whether the failure may be due to a contract that has changed on the server. */
const mayBeOutdated = ({ kind, tensor, mayHaveRun, status }: ClientError): boolean =>
  kind === "refused"
    ? !isBusy(status) && (!mayHaveRun || status === "INVALID_ARGUMENT")
    : tensor !== undefined;

/** Sends once, and notes whether the request may have run. */
const noting = async <T>(inference: Inference, send: () => Promise<T>): Promise<T> => {
  try {
    const answer = await send();
    inference.mayHaveRun = true;
    return answer;
  } catch (error) {
    if (!(error instanceof ClientError) || error.mayHaveRun) inference.mayHaveRun = true;
    throw error;
  }
};

const withFlags = <Call extends StreamOptions<string, string>>(call: Call, flags: Parameters): Call => ({
  ...call,
  parameters: { ...call.parameters, ...flags },
});

/** The caller's parameters without those that are undefined. @throws ClientError `invalid` for a value that no server takes. */
const parametersOf = ({ parameters = {} }: StreamOptions<string, string>): Parameters => {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  for (const [name, value] of given)
    if (!["bigint", "boolean", "number", "string"].includes(typeof value))
      throw new ClientError(
        "invalid",
        `parameter \`${name}\` must be text, a number or a boolean, got ${wordFor(value)}`,
      );
  return Object.fromEntries(given);
};

const isInSequence = ({ parameters }: StreamOptions<string, string>): boolean =>
  parameters?.["sequence_id"] !== undefined;

/** The bytes of that many zeros or empty strings. */
const blankSize = ({ dtype, shape, data }: WireTensor): number =>
  dtype === "BYTES" ? 4 * elementCount(shape) : data.byteLength;

const requireWay = (contract: Contract, streams: boolean, inSequence: boolean): void => {
  if (streamsOf(contract) === !streams)
    throw new ClientError(
      "invalid",
      streams
        ? `${contract.name} answers a request once: call \`infer\``
        : inSequence
          ? `${contract.name} streams: open the sequence with \`client.sequence({ streams: true })\`, and call \`stream\``
          : `${contract.name} streams: use \`for await (const answer of client.stream(inputs))\``,
    );
};

const prepare = (contract: Contract, inputs: unknown, call: StreamOptions<string, string>) => {
  const known = Object.keys(contract.outputs);
  const wanted = { outputs: call.outputs ?? known, raw: call.raw ?? [] };
  for (const name of [...wanted.outputs, ...wanted.raw])
    if (!known.includes(name))
      throw new ClientError(
        "invalid",
        `${contract.name} has no output \`${name}\`; its outputs are ${known.join(", ")}`,
        { tensor: name },
      );
  for (const name of wanted.raw)
    if (contract.outputs[name]?.dtype !== "BYTES")
      throw new ClientError("invalid", `output \`${name}\` is not BYTES, so it has no raw form`, {
        tensor: name,
      });
  return { encoded: encodeInputs(contract, inputs), wanted };
};

/** After this many microseconds Triton drops a request that is still waiting in a queue with a timeout. */
const timeout = (scope: Scope): Parameters => {
  const left = scope.remainingMs();
  return left === undefined ? {} : { timeout: Math.ceil(left * 1000) };
};
