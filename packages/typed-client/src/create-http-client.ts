import { type ClientOf, type ClientOptions, openClient } from "./client.ts";
import type { Contract } from "./contract.ts";
import { type HttpServer, httpTransport } from "./http-transport.ts";

/** Settings of a client over HTTP. */
export interface HttpOptions extends HttpServer, ClientOptions {}

/**
 * A client of one ensemble over HTTP, in browsers and Node. Tensors travel as binary data.
 * @throws ClientError `invalid` for an invalid URL.
 */
export const createHttpClient = <Inputs, Outputs, Streaming extends boolean = false>(
  options: HttpOptions & { readonly ensemble: Contract<Inputs, Outputs, Streaming> | string },
): ClientOf<Inputs, Outputs, Streaming> => openClient(httpTransport(options), options.ensemble, options);
