/**
 * The typed client of `tritype/client` over gRPC, for Node, on @grpc/grpc-js.
 * @module
 */
export { createGrpcClient, type GrpcOptions } from "@tritype/typed-client/grpc";
