import { type ErrorCode, foreignError, PipelineError } from "@tritype/core";

/** Triton's error code, with its HTTP and gRPC status. */
interface Status {
  readonly http: number;
  readonly grpc: number;
}
const invalidArgument: Status = { http: 400, grpc: 3 };
const cancelled: Status = { http: 400, grpc: 1 };
const unknown: Status = { http: 400, grpc: 2 };
const alreadyExists: Status = { http: 400, grpc: 6 };
const internal: Status = { http: 500, grpc: 13 };
const notFound: Status = { http: 404, grpc: 5 };
const unavailable: Status = { http: 503, grpc: 14 };
const unsupported: Status = { http: 501, grpc: 12 };

const statuses: Readonly<Partial<Record<ErrorCode, Status>>> = {
  "request/invalid": invalidArgument,
  "request/too-large": invalidArgument,
  "tensor/wrong-size": invalidArgument,
  "request/unsupported": unsupported,
  "request/cancelled": cancelled,
  "model/unknown-error": unknown,
  "model/already-exists": alreadyExists,
  "model/not-found": notFound,
  "model/unavailable": unavailable,
};

/**
 * The HTTP status of a failure; 500 for a failure that no request caused. Source: `HttpCodeFromError` of Triton's http_server.cc.
 */
export const httpStatusOf = (error: unknown): number => statusOf(error).http;
/** The gRPC status code of a failure. */
export const grpcStatusOf = (error: unknown): number => statusOf(error).grpc;

const statusOf = (error: unknown): Status =>
  (PipelineError.is(error) ? statuses[error.code] : undefined) ?? internal;

const codes: readonly (readonly [Status, ErrorCode])[] = [
  [invalidArgument, "request/invalid"],
  [notFound, "model/not-found"],
  [unavailable, "model/unavailable"],
  [unsupported, "request/unsupported"],
];
/**
 * Methods that a server lacks (404, 405) are `model/not-found` and `request/unsupported`; anything else is the model's
 * failure. The error's `cause` has the status.
 */
export const errorOfHttpStatus = (status: number, text: string): PipelineError =>
  foreignError(
    status === 405
      ? "request/unsupported"
      : (codes.find(([{ http }]) => http === status)?.[1] ?? "model/failed"),
    text,
    { cause: { status } },
  );

const deadlineExceeded = 4;
/** gRPC also returns UNAVAILABLE if there is no server; the caller distinguishes the two. */
export const errorOfGrpcStatus = (code: number, text: string, cause?: unknown): PipelineError =>
  foreignError(
    code === deadlineExceeded
      ? "model/unavailable"
      : (codes.find(([{ grpc }]) => grpc === code)?.[1] ?? "model/failed"),
    text,
    { cause },
  );
