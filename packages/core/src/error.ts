import type { OptionPath } from "./option-place.ts";
import { fillTemplate, type ParameterNames } from "./template.ts";

/**
 * The reason why an operation failed because of its environment or its caller. The set is closed: each code maps to
 * exactly one HTTP and one gRPC status, and to one suggested action in the terminal.
 */
export type ErrorCode =
  /** A request that does not fit the model: Triton's INVALID_ARG (HTTP 400). */
  | "request/invalid"
  /** A request that cannot be parsed: Triton's INTERNAL (HTTP 500). */
  | "request/malformed"
  | "request/too-large"
  | "request/unsupported"
  /** The client no longer waits for the answer: Triton's CANCELLED (HTTP 400). */
  | "request/cancelled"
  /** No such model, version or route: Triton's NOT_FOUND (HTTP 404). */
  | "model/not-found"
  /** The model is known but not ready: Triton's UNAVAILABLE (HTTP 503). */
  | "model/unavailable"
  /** The model itself failed while it ran. */
  | "model/failed"
  /** A model's own error with Triton's code UNKNOWN (HTTP 400). */
  | "model/unknown-error"
  /** A model's own error with Triton's code ALREADY_EXISTS (HTTP 400). */
  | "model/already-exists"
  | "repository/invalid"
  | "file/not-found"
  /** A file exists but has the wrong content. */
  | "file/not-readable"
  | "file/not-writable"
  | "file/foreign"
  | "port/in-use"
  /** Invalid command line. */
  | "usage/invalid"
  /** The user's files cannot be loaded: configuration, syntax, imports, exceptions. */
  | "project/invalid"
  | "tool/missing"
  | "device/unavailable"
  | "tensor/wrong-size"
  | "server/unreachable"
  /** The Hugging Face Hub, or a mirror of it, has no such repository, revision or file. */
  | "hub/not-found"
  /** The repository requires a different token, or acceptance of its terms. */
  | "hub/denied"
  /** The hub cannot be reached, does not answer in time, or keeps refusing requests. */
  | "hub/unreachable"
  /** The download does not match the announced hash. */
  | "hub/wrong-bytes";

const brand = Symbol.for("tritype.PipelineError");

interface ErrorOptions {
  readonly cause?: unknown;
  readonly help?: string | undefined;
  readonly option?: OptionPath | undefined;
}

/**
 * An error caused by the environment or the caller: it says what happened, why, and how to fix it. It is
 * thrown, and never used for mistakes in a pipeline. Create it with a catalog's function (`defineErrors`), or
 * with `foreignError` if the message is not ours.
 */
export class PipelineError extends Error {
  readonly code: ErrorCode;
  /** The catalog entry, such as `dataset/not-utf8`, which the terminal prints and `pipeline explain` knows. */
  readonly reason: string;
  /** The fix, as an imperative sentence. */
  readonly help: string | undefined;
  /** The wrong option of the call that threw, so that the position of the option is shown instead of the call's. */
  readonly option: OptionPath | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { readonly reason?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "PipelineError";
    this.code = code;
    this.reason = options.reason ?? code;
    this.help = options.help;
    this.option = options.option;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Also recognizes errors from other copies of this package. */
  static is(value: unknown): value is PipelineError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** An entry in a catalog of errors: its message. `{name}` stands for a parameter. */
export interface ErrorEntry {
  readonly code: ErrorCode;
  readonly message: string;
  readonly help?: string;
}

type Catalog = Readonly<Record<string, ErrorEntry>>;
type NamesOf<E extends ErrorEntry> =
  | ParameterNames<E["message"]>
  | (E extends { readonly help: infer H } ? ParameterNames<H> : never);

type ValuesOf<Names extends string> = [Names] extends [never]
  ? Readonly<Record<string, never>>
  : Readonly<Record<Names, string | number | bigint>>;

/** Creates an error from one catalog; `help` replaces the catalog's help text if the caller knows more. */
export type MakeError<C extends Catalog> = <K extends keyof C & string>(
  reason: K,
  parameters: ValuesOf<NamesOf<C[K]>>,
  options?: ErrorOptions,
) => PipelineError;

/** Returns a function that creates the errors of a catalog: reason → code, sentence, help. */
export const defineErrors =
  <const C extends Catalog>(catalog: C): MakeError<C> =>
  (reason, parameters, { cause, help, option } = {}) => {
    const entry = catalog[reason] as ErrorEntry;
    const advice = help ?? (entry.help === undefined ? undefined : fillTemplate(entry.help, parameters));
    return new PipelineError(entry.code, fillTemplate(entry.message, parameters), {
      reason,
      cause,
      help: advice,
      option,
    });
  };

/**
 * An error whose message is not ours: Triton's own, unchanged, or that of a model, a server or another process.
 */
export const foreignError = (
  code: ErrorCode,
  words: string,
  options: ErrorOptions & { readonly reason?: string } = {},
): PipelineError => new PipelineError(code, words, options);

/** The same error with a different message, for instance with the position where it happened. */
export const reworded = (
  error: PipelineError,
  message: string,
  { cause, help = error.help }: ErrorOptions = {},
): PipelineError => new PipelineError(error.code, message, { reason: error.reason, cause, help });

/** A bug in tritype, not a user's mistake. */
export class InternalError extends Error {
  constructor(message: string) {
    super(`${message} (this is a bug in tritype)`);
    this.name = "InternalError";
  }
}

/** @throws InternalError if `condition` is false. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}
