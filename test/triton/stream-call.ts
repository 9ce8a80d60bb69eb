import { Client, credentials } from "@grpc/grpc-js";
import { invariant, type NamedTensors } from "@tritype/core";
import {
  type GrpcInferResponse,
  grpcInferRequest,
  grpcMethod,
  readGrpcInferResponse,
} from "@tritype/protocol";

/** A message of a stream: a response or an error. */
export interface StreamedAnswer {
  readonly id: string;
  readonly outputs: NamedTensors;
  readonly error: string;
  readonly isFinal: boolean;
  /** Time since the request, in milliseconds. */
  readonly after: number;
}

/** An open `ModelStreamInfer` with one request. */
export interface StreamCall {
  /** All messages for the request. */
  readonly answers: Promise<readonly StreamedAnswer[]>;
  /** Settles with the first message. */
  readonly first: Promise<StreamedAnswer>;
  readonly cancel: () => void;
}

/** Sends one request over gRPC's ModelStreamInfer. */
export const openStream = (address: string, model: string, inputs: NamedTensors, id = "x"): StreamCall => {
  const client = new Client(address, credentials.createInsecure());
  const { path, request, response } = grpcMethod("ModelStreamInfer");
  const call = client.makeBidiStreamRequest(
    path,
    (one: object) => Buffer.from(request.encode(one)),
    response.decode,
  );
  const began = performance.now();
  const received: StreamedAnswer[] = [];
  const first = settled<StreamedAnswer>();
  const answers = settled<readonly StreamedAnswer[]>();
  call.on("data", (message: StreamMessage) => {
    const answer = readAnswer(message, performance.now() - began);
    received.push(answer);
    first.resolve(answer);
    if (answer.isFinal || answer.error !== "") call.end();
  });
  const fail = (error: Error): void => {
    first.reject(error);
    answers.reject(error);
  };
  call.on("error", fail);
  call.on("end", () => {
    answers.resolve(received);
    fail(new Error("the stream ended"));
  });
  call.on("close", () => client.close());
  call.write(
    grpcInferRequest({ model, id, inputs, parameters: { triton_enable_empty_final_response: true } }),
  );
  return { answers: answers.promise, first: first.promise, cancel: () => call.cancel() };
};

/** A promise that is settled later. Its rejection may remain unhandled. */
const settled = <T>() => {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
};

interface StreamMessage {
  readonly error_message?: string;
  readonly infer_response?: GrpcInferResponse;
}

const readAnswer = (message: StreamMessage, after: number): StreamedAnswer => {
  const { error_message: error = "", infer_response: response } = message;
  if (error !== "") return { id: response?.id ?? "", outputs: new Map(), error, isFinal: true, after };
  invariant(response !== undefined, "a message has a response or an error");
  const { id, outputs, parameters } = readGrpcInferResponse(response);
  return { id: id ?? "", outputs, error, isFinal: parameters?.["triton_final_response"] === true, after };
};

/** The events of `POST …/generate_stream`, or the text of the refusal. */
export const generateStream = async (
  url: string,
  model: string,
  body: object,
): Promise<readonly Readonly<Record<string, unknown>>[] | string> => {
  const reply = await fetch(`${url}/v2/models/${model}/generate_stream`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!(reply.headers.get("content-type") ?? "").startsWith("text/event-stream"))
    return `${reply.status} ${text}`;
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((event) => JSON.parse(event.replace(/^data: /, "")) as Readonly<Record<string, unknown>>);
};
