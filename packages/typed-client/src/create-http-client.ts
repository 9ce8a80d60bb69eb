import { type ClientOf, type ClientOptions, openClient } from "./client.ts";
import type { Contract } from "./contract.ts";
import { type HttpServer, httpTransport } from "./http-transport.ts";

/** Settings for an HTTP client. */
export interface HttpOptions extends HttpServer, ClientOptions {}

/**
 * An HTTP client for one ensemble, in browsers and Node. Tensors are sent as binary data.
 * @throws ClientError `invalid` for an invalid URL.
 */
export const createHttpClient = <Inputs, Outputs, Streaming extends boolean = false>(
  options: HttpOptions & { readonly ensemble: Contract<Inputs, Outputs, Streaming> | string },
): ClientOf<Inputs, Outputs, Streaming> => openClient(httpTransport(options), options.ensemble, options);
