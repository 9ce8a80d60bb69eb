import type { GrpcReply } from "./grpc-call.ts";

interface Message {
  readonly outputs?: readonly { readonly name: string }[];
  readonly raw_output_contents?: readonly Uint8Array[];
  readonly config?: { readonly runtime?: string };
}

/**
 * A reply with a fixed order of the parts whose order is undefined in Triton, and without traces of the judge's ONNX
 * backend.
 */
export const shownReply = (reply: GrpcReply): object => {
  if (!("message" in reply)) return reply;
  const message = reply.message as Message;
  const { raw_output_contents: raw, config } = message;
  if (config?.runtime === "model.py") return { ...message, config: { ...config, runtime: "" } };
  if (raw === undefined) return message;
  const outputs = (message.outputs ?? []).map((output, index) => ({
    ...output,
    raw: Buffer.from(raw[index] ?? []).toString("hex"),
  }));
  return {
    ...message,
    raw_output_contents: raw.length,
    outputs: outputs.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  };
};

interface Streamed {
  readonly error_message: string;
  readonly infer_response: object | null;
}

/** Does the same for one answer in a stream, or for the status at its end. */
export const shownStreamed = (answer: object): object => {
  if (!("error_message" in answer)) return answer;
  const { error_message, infer_response } = answer as Streamed;
  const reply: GrpcReply = { message: infer_response ?? {} };
  return { error_message, infer_response: infer_response === null ? null : shownReply(reply) };
};
