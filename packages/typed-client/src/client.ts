import { ClientError } from "./client-error.ts";
import { compareContracts, contractError } from "./compare-contracts.ts";
import type { Contract, RawTensor } from "./contract.ts";
import { decodeOutputs } from "./decode-outputs.ts";
import { encodeInputs } from "./encode-inputs.ts";
import { onFirstUse } from "./first-use.ts";
import { jitteredBackoff, withRetries } from "./retry.ts";
import { openScope, type Scope } from "./scope.ts";
import type { Parameters, Target, Transport } from "./transport.ts";

/** Settings of a client, over HTTP or gRPC. */
export interface ClientOptions {
  /** Version of the model. Default: the server's latest. */
  readonly version?: string;
  /** Time limit of a call in milliseconds, including the contract's check and retries. Default: no limit. */
  readonly deadlineMs?: number;
  /** How often a request that certainly did not run is sent again. Default 2. */
  readonly retries?: number;
  /** Milliseconds before retry 1, 2, … Default: random, up to 100, 200, 400, …, at most 5000. */
  readonly backoff?: (retry: number) => number;
  /** Default true: before the first inference, the server's ensemble is compared with the one that this client was made for. */
  readonly checkContract?: boolean;
}

/** Settings of one call. */
export interface CallOptions {
  /** Cancels the call, which rejects with `cancelled`. */
  readonly signal?: AbortSignal;
  /** Like the client's. The remaining time is also sent to the server, as Triton's request parameter `timeout`. */
  readonly deadlineMs?: number;
}

/** Settings of one inference. */
export interface InferOptions<Wanted, Raw> extends CallOptions {
  /** Names of the outputs to return. Default: all. */
  readonly outputs?: readonly Wanted[];
  /** Names of BYTES outputs to return as bytes instead of text. */
  readonly raw?: readonly Raw[];
  /** Appears in the server's messages and traces. */
  readonly id?: string;
  /** Triton's request parameters: `priority`, `sequence_id`, … */
  readonly parameters?: Parameters;
  /** The inference may run twice, so a request whose connection broke is sent again. Default false. */
  readonly idempotent?: boolean;
}

/** The result of an inference: the requested outputs by name. */
export type Answer<Outputs, Wanted extends keyof Outputs, Raw> = {
  readonly [Name in Wanted]: Name extends Raw
    ? RawTensor<Outputs[Name] extends { readonly shape: infer Shape } ? Shape : never>
    : Outputs[Name];
};

/** A client of one ensemble. Every failure rejects with a `ClientError`. */
export interface Client<Inputs, Outputs> {
  /** Sends one request. Inputs are checked here first; the first call also checks the contract. */
  infer<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: InferOptions<Wanted, Raw>,
  ): Promise<Answer<Outputs, Wanted, Raw>>;
  /** Checks the contract now instead of at the first inference; one request per client. */
  check(options?: CallOptions): Promise<void>;
  /** Whether the server can answer; also false if there is no server. */
  ready(options?: CallOptions): Promise<boolean>;
  /** Ends open connections. */
  close(): void;
}

/** A client over any transport. Given only the ensemble's name, it asks the server for the rest on first use. */
export const openClient = <Inputs, Outputs>(
  transport: Transport,
  ensemble: Contract<Inputs, Outputs> | string,
  options: ClientOptions,
): Client<Inputs, Outputs> => {
  const { version, retries = 2, backoff = jitteredBackoff, checkContract = true } = options;
  const own: Contract | undefined = typeof ensemble === "string" ? undefined : (ensemble as Contract);
  const target: Target = { model: typeof ensemble === "string" ? ensemble : ensemble.name, version };

  const agree = onFirstUse(async (signal): Promise<Contract> => {
    const scope = openScope(signal, undefined);
    try {
      const policy = { retries, backoff, idempotent: true };
      const server = await withRetries(() => transport.describe(target, scope), policy, scope);
      if (own === undefined) return server;
      if (own.hash !== undefined && own.hash === server.hash) return own;
      const differences = compareContracts(own, server);
      if (differences.length > 0) throw contractError(own.name, differences);
      return own;
    } finally {
      scope.close();
    }
  });
  const contractFor = (scope: Scope): Promise<Contract> =>
    own !== undefined && !checkContract ? Promise.resolve(own) : agree(scope);
  const within = async <T>(
    call: CallOptions,
    work: (scope: Scope, inference: Inference) => Promise<T>,
  ): Promise<T> => {
    const scope = openScope(call.signal, call.deadlineMs ?? options.deadlineMs);
    const inference: Inference = { mayHaveRun: false };
    try {
      return await work(scope, inference);
    } catch (error) {
      // After we cut a connection, its own error does not matter.
      const reason = scope.ended() ?? error;
      throw reason instanceof ClientError ? Object.assign(reason, inference) : reason;
    } finally {
      scope.close();
    }
  };

  const infer = async (
    inputs: unknown,
    call: InferOptions<string, string>,
    scope: Scope,
    inference: Inference,
  ): Promise<unknown> => {
    // If the contract is known, a mistake in the request is reported before anything is sent.
    const early = own === undefined ? undefined : prepare(own, inputs, call);
    const contract = await contractFor(scope);
    const { encoded, wanted } = early ?? prepare(contract, inputs, call);
    const policy = { retries, backoff, idempotent: call.idempotent ?? false };
    const send = async () => {
      const request = {
        ...target,
        id: call.id,
        parameters: { ...timeout(scope), ...call.parameters },
        inputs: encoded,
        outputs: wanted.outputs,
      };
      try {
        const answer = await transport.infer(request, scope);
        inference.mayHaveRun = true;
        return answer;
      } catch (error) {
        if (!(error instanceof ClientError) || error.mayHaveRun) inference.mayHaveRun = true;
        throw error;
      }
    };
    return decodeOutputs(contract, wanted, await withRetries(send, policy, scope));
  };

  const client = {
    infer: (inputs: unknown, call: InferOptions<string, string> = {}) =>
      within(call, (scope, inference) => infer(inputs, call, scope, inference)),
    check: (call: CallOptions = {}) => within(call, async (scope) => void (await agree(scope))),
    ready: (call: CallOptions = {}) => within(call, (scope) => transport.ready(target, scope)),
    close: () => transport.close(),
  };
  return client as unknown as Client<Inputs, Outputs>;
};

/** What is known about the inference of one call: only about its attempts, not about other requests. */
interface Inference {
  mayHaveRun: boolean;
}

const prepare = (contract: Contract, inputs: unknown, call: InferOptions<string, string>) => {
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
