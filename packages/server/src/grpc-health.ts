import type {
  Metadata,
  sendUnaryData,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Runtime } from "@tritype/runtime";
import { statusOf } from "./grpc-status.ts";
import { requireGrpcHeader, type Restrictions } from "./restrictions.ts";
import protobuf from "protobufjs/light.js";

/** `grpc.health.v1`. Source: `health.proto` of gRPC. */
const root = protobuf.Root.fromJSON({
  nested: {
    Request: { fields: { service: { type: "string", id: 1 } } },
    Response: { fields: { status: { type: "Status", id: 1 } } },
    Status: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } },
  },
});

const codec = (type: protobuf.Type) => ({
  serialize: (message: object) => Buffer.from(type.encode(type.fromObject(message)).finish()),
  deserialize: (bytes: Uint8Array) => type.toObject(type.decode(bytes), { enums: String, defaults: true }),
});
const asked = codec(root.lookupType("Request"));
const answered = codec(root.lookupType("Response"));
const method = (name: string, responseStream: boolean) => ({
  path: `/grpc.health.v1.Health/${name}`,
  requestStream: false,
  responseStream,
  requestSerialize: asked.serialize,
  requestDeserialize: asked.deserialize,
  responseSerialize: answered.serialize,
  responseDeserialize: answered.deserialize,
});

export const healthService: ServiceDefinition = {
  Check: method("Check", false),
  Watch: method("Watch", true),
};

/** Reports SERVING while the runtime is ready, for any service. */
export const healthHandlers = (
  runtime: Runtime,
  restrictions: Restrictions | undefined,
): UntypedServiceImplementation => {
  const status = ({ metadata }: { readonly metadata: Metadata }) => {
    requireGrpcHeader(restrictions, "Check", metadata);
    return { status: runtime.ready ? "SERVING" : "NOT_SERVING" };
  };
  return {
    Check: (call: ServerUnaryCall<object, object>, reply: sendUnaryData<object>) => {
      try {
        reply(null, status(call));
      } catch (error) {
        reply(statusOf(error));
      }
    },
    Watch: (call: ServerWritableStream<object, object>) => {
      try {
        call.write(status(call));
      } catch (error) {
        call.emit("error", statusOf(error));
      }
    },
  };
};
