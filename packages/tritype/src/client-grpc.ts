/**
 * The typed client from `tritype/client` over gRPC, for Node, based on @grpc/grpc-js.
 * @module
 */
export { createGrpcClient, credentials, type GrpcOptions } from "@tritype/typed-client/grpc";
