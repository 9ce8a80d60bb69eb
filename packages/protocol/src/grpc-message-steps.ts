import { type INamespace, Root, type Type } from "protobufjs/light.js";
import { grpcServiceDescriptor } from "./generated/grpc-service-descriptor.ts";
import type { GrpcInferRequest } from "./grpc-messages.ts";
import { countVarints, unreadable, type WireField, wireFields } from "./grpc-wire.ts";
import { maxText } from "./infer-request.ts";
import { invalid } from "./json-value.ts";
import type { Steps } from "./steps.ts";

/** Maximum size of names, dims and parameters of a request; even the largest models use only a fraction of it. */
const maxItems = 65_536;

/**
 * Decodes a `ModelInferRequest`; the tensors stay bytes. Their descriptions are counted first, then decoded.
 * @throws PipelineError `request/malformed` with Triton's message if the bytes are not such a message;
 * `request/invalid` for more names, dims and parameters than a request needs, or more text in them than `maxText`.
 */
export function* grpcInferMessageSteps(bytes: Uint8Array): Steps<GrpcInferRequest> {
  let items = 0;
  const count = (more: number): void => {
    items += more;
    if (items > maxItems) throw invalid(`the request has more than ${maxItems} names, dims and parameters`);
  };
  let text = 0;
  const countText = ({ start, end }: WireField): void => {
    text += end - start;
    if (text > maxText)
      throw invalid(`the request has more than ${maxText} bytes of text outside tensor data`);
  };
  for (const field of wireFields(bytes)) {
    count(1);
    if (items % 4096 === 0) yield;
    if (field.type !== 2 || field.id > 6) continue;
    if (field.id !== 5) countText(field);
    if (field.id < 4) continue;
    const message = bytes.subarray(field.start, field.end);
    for (const part of wireFields(message)) {
      count(1);
      if (field.id !== 5 || part.type !== 2 || part.id > 4) continue;
      if (part.id === 3) count(yield* countVarints(message.subarray(part.start, part.end), maxItems));
      else countText(part);
    }
  }
  yield;
  try {
    return messageType().toObject(messageType().decode(bytes), {
      longs: String,
      enums: String,
      defaults: true,
      oneofs: true,
    }) as GrpcInferRequest;
  } catch {
    throw unreadable();
  }
}

let loaded: Type | undefined;
/** `ModelInferRequest` with `contents` as bytes: on the wire, a message and bytes are encoded the same way. */
const messageType = (): Type => {
  loaded ??= Root.fromJSON(withPlainContents(JSON.parse(JSON.stringify(grpcServiceDescriptor)) as INamespace))
    .resolveAll()
    .lookupType("inference.ModelInferRequest");
  return loaded;
};

interface Namespace {
  nested?: Record<string, Namespace>;
  fields?: Record<string, object>;
  oneofs?: Record<string, { readonly oneof: readonly string[] }>;
}

const withPlainContents = <T extends object>(descriptor: T): T => {
  const input = ["inference", "ModelInferRequest", "InferInputTensor"].reduce<Namespace | undefined>(
    (namespace, name) => namespace?.nested?.[name],
    descriptor as Namespace,
  );
  Object.assign(input?.fields?.["contents"] ?? {}, { type: "bytes" });
  // Without this oneof, empty contents and absent contents would look the same.
  if (input !== undefined) input.oneofs = { contents_given: { oneof: ["contents"] } };
  return descriptor;
};
