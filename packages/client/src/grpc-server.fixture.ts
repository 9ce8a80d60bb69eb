import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import {
  type GrpcInferRequest,
  grpcInferResponse,
  grpcMethod,
  grpcStatusOf,
  readGrpcInferRequest,
} from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";

interface Named {
  readonly name: string;
  readonly version: string;
}
type Methods = Readonly<Record<string, (request: never) => object | Promise<object>>>;

/** A gRPC server of a runtime on a free port, from the same descriptor as Triton's. */
export const serveGrpc = async (runtime: Runtime): Promise<{ readonly address: string; close(): void }> => {
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  const methods = methodsOf(runtime);
  server.addService(
    definitionOf(Object.keys(methods)),
    Object.fromEntries(Object.entries(methods).map(([n, m]) => [n, handlerOf(m)])),
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
};

const methodsOf = (runtime: Runtime): Methods => ({
  ServerLive: () => ({ live: runtime.live }),
  ServerReady: () => ({ ready: runtime.ready }),
  ModelReady: ({ name, version }: Named) => ({ ready: runtime.modelReady(name, version || undefined) }),
  ServerMetadata: () => runtime.serverMetadata(),
  ModelMetadata: ({ name, version }: Named) => runtime.modelMetadata(name, version || undefined),
  ModelConfig: ({ name, version }: Named) => ({ config: runtime.modelConfig(name, version || undefined) }),
  ModelInfer: async (request: GrpcInferRequest) =>
    grpcInferResponse(await runtime.infer(readGrpcInferRequest(request))),
});

const definitionOf = (names: readonly string[]): ServiceDefinition =>
  Object.fromEntries(
    names.map((name) => {
      const { path, requestStream, responseStream, request, response } = grpcMethod(name);
      const [encode, decode] = [(message: object) => Buffer.from(response.encode(message)), request.decode];
      return [
        name,
        {
          path,
          requestStream,
          responseStream,
          requestSerialize: (message: object) => Buffer.from(request.encode(message)),
          requestDeserialize: decode,
          responseSerialize: encode,
          responseDeserialize: response.decode,
        },
      ];
    }),
  );

const handlerOf =
  (method: Methods[string]): handleUnaryCall<unknown, object> =>
  async (call, reply) => {
    try {
      reply(null, await method(call.request as never));
    } catch (error) {
      reply(Object.assign(new Error((error as Error).message), { code: grpcStatusOf(error) }));
    }
  };
