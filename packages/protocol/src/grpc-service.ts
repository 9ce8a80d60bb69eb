import { invariant } from "@tritype/core";
import { Root, type Service, type Type } from "protobufjs/light.js";
import { grpcServiceDescriptor } from "./generated/grpc-service-descriptor.ts";

/** The encoding of messages of one type. */
export interface MessageCodec {
  /** Takes plain objects with the proto's names; 64-bit integers as number, bigint or decimal text. */
  readonly encode: (message: object) => Uint8Array;
  /**
   * Plain objects with the proto's names and defaults; 64-bit integers as decimal text, enums as names, `bytes` as
   * views of the given bytes. Absent messages are null, and each oneof has a member with the name of the field that is
   * set.
   * @throws protobufjs' `Error` if the bytes are not such a message.
   */
  readonly decode: (bytes: Uint8Array) => unknown;
  /** The JSON that Triton prints for the message: 64-bit integers as numbers, absent messages left out. */
  readonly decodeJson: (bytes: Uint8Array) => unknown;
}

/** A method of `inference.GRPCInferenceService`. */
export interface GrpcMethod {
  /** `/inference.GRPCInferenceService/<name>` */
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly request: MessageCodec;
  readonly response: MessageCodec;
}

let loaded: Service | undefined;
const service = (): Service => {
  loaded ??= Root.fromJSON(grpcServiceDescriptor)
    .resolveAll()
    .lookupService("inference.GRPCInferenceService");
  return loaded;
};

/** Names of Triton's gRPC methods. */
export const grpcMethodNames = (): readonly string[] => Object.keys(service().methods);

/** A method by name, such as `ModelInfer`. */
export const grpcMethod = (name: string): GrpcMethod => {
  const method = service().methods[name];
  invariant(method?.resolvedRequestType && method.resolvedResponseType, `no gRPC method is called ${name}`);
  return {
    path: `/inference.GRPCInferenceService/${name}`,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
    request: codecOf(method.resolvedRequestType),
    response: codecOf(method.resolvedResponseType),
  };
};

const codecOf = (type: Type): MessageCodec => ({
  encode: (message) => type.encode(type.fromObject(message)).finish(),
  decode: (bytes) =>
    type.toObject(type.decode(bytes), { longs: String, enums: String, defaults: true, oneofs: true }),
  decodeJson: (bytes) =>
    withoutNulls(type.toObject(type.decode(bytes), { longs: Number, enums: String, defaults: true })),
});

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
};
