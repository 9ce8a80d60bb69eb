// Tritype's typed client, beside the clients that `pipeline build` writes. Do not edit.
// SPDX-License-Identifier: Apache-2.0

/** Settings of a client over HTTP. */
export interface HttpOptions extends HttpServer, ClientOptions {}

/**
 * A client of one ensemble over HTTP, in browsers and Node. Tensors travel as binary data.
 * @throws ClientError `invalid` for a URL that is none.
 */
export declare const createHttpClient: <Inputs, Outputs>(
  options: HttpOptions & {
    readonly ensemble: Contract<Inputs, Outputs> | string;
  },
) => Client<Inputs, Outputs>;

/** Settings of a client, whatever it speaks. */
export interface ClientOptions {
  /** Version of the model. Default: the server's latest. */
  readonly version?: string;
  /** Milliseconds that a call may take, the contract's check and retries included. Default: no limit. */
  readonly deadlineMs?: number;
  /** How often a request that was certainly not executed is sent again. Default 2. */
  readonly retries?: number;
  /** Milliseconds before retry 1, 2, … Default: random, up to 100, 200, 400, …, at most 5000. */
  readonly backoff?: (retry: number) => number;
  /** Default true: before the first inference the server's ensemble is compared with the one this client was made for. */
  readonly checkContract?: boolean;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call: it rejects with `cancelled`. */
  readonly signal?: AbortSignal;
  /** As the client's. The time that is left also goes to the server, as Triton's request parameter `timeout`. */
  readonly deadlineMs?: number;
}

/** Settings of one inference. */
export interface InferOptions<Wanted, Raw> extends CallOptions {
  /** Names of the wanted outputs. Default all. */
  readonly outputs?: readonly Wanted[];
  /** Names of BYTES outputs that are wanted as bytes in place of text. */
  readonly raw?: readonly Raw[];
  /** Comes back in the server's messages and traces. */
  readonly id?: string;
  /** Triton's request parameters: `priority`, `sequence_id`, … */
  readonly parameters?: Parameters;
  /** The inference may run twice, so a request whose connection ended in the middle is sent again. Default false. */
  readonly idempotent?: boolean;
}

/** What an inference brings: the wanted outputs by name. */
export type Answer<Outputs, Wanted extends keyof Outputs, Raw> = {
  readonly [Name in Wanted]: Name extends Raw
    ? RawTensor<
        Outputs[Name] extends {
          readonly shape: infer Shape;
        }
          ? Shape
          : never
      >
    : Outputs[Name];
};

/** A client of one ensemble. Whatever fails rejects with a `ClientError`. */
export interface Client<Inputs, Outputs> {
  /** Sends one request. Inputs are checked here first; the first call also checks the contract. */
  infer<const Wanted extends keyof Outputs = keyof Outputs, const Raw extends Wanted = never>(
    inputs: Inputs,
    options?: InferOptions<Wanted, Raw>,
  ): Promise<Answer<Outputs, Wanted, Raw>>;
  /** Checks the contract now, which otherwise the first inference does; one request per client. */
  check(options?: CallOptions): Promise<void>;
  /** Whether the server can answer; false also where there is none. */
  ready(options?: CallOptions): Promise<boolean>;
  /** Ends open connections. */
  close(): void;
}

/**
 * Why a call failed:
 *
 * - `invalid`: the request does not fit the ensemble; found here, nothing was sent.
 * - `contract`: the server's ensemble is not the one this client was made for; nothing was inferred.
 * - `refused`: the server answered with an error; `status` has its code.
 * - `unreachable`: there was no connection.
 * - `lost`: the connection ended before the answer was complete.
 * - `deadline`: the time given was up.
 * - `cancelled`: the caller's signal was aborted.
 * - `malformed`: the answer cannot be read as what was asked for.
 */
export type ClientErrorKind =
  | "invalid"
  | "contract"
  | "refused"
  | "unreachable"
  | "lost"
  | "deadline"
  | "cancelled"
  | "malformed";

/** One way in which a server's ensemble differs from the one a client was made for. */
export interface ContractDifference {
  readonly side: "input" | "output";
  readonly tensor: string;
  /** `FP32[batch, 384]`; undefined where the client does not know the tensor. */
  readonly expected: string | undefined;
  /** undefined where the server does not have the tensor. */
  readonly got: string | undefined;
}

/** What an error knows beside its message. */
interface ClientErrorDetails {
  readonly cause?: unknown;
  readonly tensor?: string;
  readonly expected?: string;
  readonly got?: string;
  readonly status?: number | string;
  readonly mayHaveRun?: boolean;
  readonly differences?: readonly ContractDifference[];
  readonly retryAfterMs?: number;
}

/** The one error of this client. */
export declare class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** Name of the input or output that is at fault, where it is one. */
  readonly tensor: string | undefined;
  /** What was wanted and what was there instead, where they are known. */
  readonly expected: string | undefined;
  readonly got: string | undefined;
  /** Of `refused`: the HTTP status (400), or the name of the gRPC status ("INVALID_ARGUMENT"). */
  readonly status: number | string | undefined;
  /** False where the inference certainly did not run. */
  readonly mayHaveRun: boolean;
  /** Of `contract`: every difference. */
  readonly differences: readonly ContractDifference[];
  /** Of `refused`: how long the server asks to wait (`Retry-After`). */
  readonly retryAfterMs: number | undefined;
  constructor(kind: ClientErrorKind, message: string, details?: ClientErrorDetails);
}

/** A KServe v2 datatype. */
type DType =
  | "BOOL"
  | "UINT8"
  | "UINT16"
  | "UINT32"
  | "UINT64"
  | "INT8"
  | "INT16"
  | "INT32"
  | "INT64"
  | "FP16"
  | "BF16"
  | "FP32"
  | "FP64"
  | "BYTES";

/** A size, or a name: the same name is the same size within a request. -1 is any size. */
type Dim = number | string;

/** The type of an input or output. */
interface TensorType {
  readonly dtype: DType;
  readonly dims: readonly Dim[];
  /** Of an input that a request may leave out. */
  readonly optional?: boolean;
}

/** Name → type of all inputs, or of all outputs. */
type Signature = Readonly<Record<string, TensorType>>;

/** What client and server agree on. `Inputs` and `Outputs` are the values that travel. */
export interface Contract<Inputs = Record<string, unknown>, Outputs = Record<string, Tensor>> {
  /** Name of the ensemble in the model repository. */
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
  /** Hash of the above without the names of dims; the server's configuration has it as `tritype_contract`. */
  readonly hash?: string;
  /** Only for TypeScript; never there. */
  readonly "~types"?: {
    readonly inputs: Inputs;
    readonly outputs: Outputs;
  };
}

/** A tensor of an answer. `Nested` is what `toArray` gives: arrays without the size-1 dims after the first. */
export interface Tensor<
  D extends DType = DType,
  Data = unknown,
  Shape extends readonly number[] = readonly number[],
  Nested = unknown,
> {
  readonly dtype: D;
  readonly shape: Shape;
  /** The elements in row-major order. */
  readonly data: Data;
  toArray(): Nested;
}

/** Elements in row-major order with their shape; what an input takes beside nested arrays. */
export interface Elements<Data> {
  readonly data: Data;
  readonly shape: readonly number[];
}

/** A BYTES output that was asked for as bytes. */
export interface RawTensor<Shape = readonly number[]> {
  readonly dtype: "BYTES";
  readonly shape: Shape;
  readonly data: readonly Uint8Array[];
}

/** Request parameters of KServe v2, such as Triton's `priority` and `sequence_id`. */
export type Parameters = Readonly<Record<string, string | number | bigint | boolean>>;

/** Where a server is over HTTP, and how to reach it. */
interface HttpServer {
  /** `http://127.0.0.1:8000`; in a browser also a path of the page's own origin, such as `/triton`. */
  readonly url: string;
  /** Headers of every request, such as `Authorization`; a function is asked before each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}
export {};
