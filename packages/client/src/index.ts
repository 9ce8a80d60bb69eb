export { grpcClient } from "./grpc-client.ts";
export { httpClient } from "./http-client.ts";
export type { ClientOptions, InferCall, InferenceClient, StreamingClient } from "./inference-client.ts";
export { clientErrors } from "./errors.ts";
