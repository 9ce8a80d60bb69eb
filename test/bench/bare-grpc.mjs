import { Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * A server of @grpc/grpc-js whose ModelInfer returns `answer(request)`, bytes for bytes: the cost of gRPC alone.
 */
export const openBareGrpc = async (answer) => {
  const same = (bytes) => bytes;
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  const method = {
    path: "/inference.GRPCInferenceService/ModelInfer",
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  server.addService(
    { ModelInfer: method },
    { ModelInfer: ({ request }, reply) => reply(null, answer(request)) },
  );
  const port = await new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
};
