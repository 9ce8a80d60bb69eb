import { PipelineError } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { errorOfGrpcStatus, errorOfHttpStatus, grpcStatusOf, httpStatusOf } from "./index.ts";

describe("status", () => {
  it.each([
    ["request/invalid", 400, 3],
    ["request/too-large", 400, 3],
    ["request/malformed", 500, 13],
    ["request/unsupported", 501, 12],
    ["request/cancelled", 400, 1],
    ["model/not-found", 404, 5],
    ["model/unavailable", 503, 14],
    ["model/failed", 500, 13],
  ] as const)("%s is HTTP %i and gRPC %i", (code, http, grpc) => {
    const error = new PipelineError(code, "x");
    expect([httpStatusOf(error), grpcStatusOf(error)]).toEqual([http, grpc]);
  });

  it("any error that is not a PipelineError is a server error", () => {
    expect([httpStatusOf(new TypeError("x")), grpcStatusOf("x")]).toEqual([500, 13]);
  });

  it.each([
    ["request/invalid", 400, 3],
    ["model/not-found", 404, 5],
    ["model/unavailable", 503, 14],
    ["request/unsupported", 501, 12],
    ["model/failed", 500, 13],
    ["model/failed", 418, 2],
    ["request/unsupported", 405, 12],
    ["model/unavailable", 503, 4],
  ] as const)("a client reads %s from HTTP %i and gRPC %i", (code, http, grpc) => {
    expect([errorOfHttpStatus(http, "x").code, errorOfGrpcStatus(grpc, "x").code]).toEqual([code, code]);
  });
});
