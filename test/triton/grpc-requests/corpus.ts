import { contents } from "./contents.ts";
import { inference } from "./inference.ts";
import type { GrpcRequests } from "./infer-message.ts";
import { methods } from "./methods.ts";
import { parameters } from "./parameters.ts";

/** Valid and invalid gRPC calls by subject. */
export const grpcRequests: Readonly<Record<string, GrpcRequests>> = {
  methods,
  inference,
  contents,
  parameters,
};
