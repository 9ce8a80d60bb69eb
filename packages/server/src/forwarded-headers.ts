import type { IncomingMessage } from "node:http";
import type { Metadata } from "@grpc/grpc-js";
import type { InferRequest, Parameters } from "@tritype/protocol";

/** The headers that models get as parameters: a pattern that matches any part of their names. Default: none. */
export type ForwardedNames = RegExp | undefined;

/**
 * Adds a caller's headers to the parameters that only the model reads. They come last, so a header takes precedence
 * over a parameter of the same name. Source: `ForwardHeaders` of Triton's http_server.cc.
 */
export const withHeaders = (request: InferRequest, headers: Parameters): InferRequest =>
  Object.keys(headers).length === 0
    ? request
    : { ...request, modelParameters: { ...request.modelParameters, ...headers } };

/** HTTP headers, with their names as the client wrote them. Triton turns an empty value into a space. */
export const forwardedHttp = (
  names: ForwardedNames,
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
): Parameters => {
  if (names === undefined) return {};
  const headers = new Map<string, string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    if (names.test(name)) headers.set(name, Buffer.from(value, "latin1").toString() || " ");
  }
  return Object.fromEntries(headers);
};

/** The metadata of a gRPC call, by name. */
export const forwardedGrpc = (names: ForwardedNames, metadata: Metadata): Parameters =>
  names === undefined
    ? {}
    : Object.fromEntries(
        Object.keys(metadata.getMap())
          .filter((name) => !ofTransport.test(name) && names.test(name))
          .toSorted()
          .map((name) => [name, String(metadata.get(name).at(-1))] as const),
      );

/** Headers that gRPC's own library hides from Triton. */
const ofTransport = /^(?::|grpc-|(?:content-type|te|accept-encoding)$)/;
