import { defaultMaxInputBytes } from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";
import { errorAnswer } from "./answer.ts";
import { answerApi } from "./answer-api.ts";
import type { HttpApi } from "./http-api.ts";
import { type HttpServer, type ListenOptions, serveAnswers } from "./serve-answers.ts";

export interface ApiOptions extends ListenOptions {
  readonly apis: readonly HttpApi[];
  /** Sends the APIs' requests to models. */
  readonly stream: Runtime["stream"];
  /** Maximum size of a request body in bytes, compressed or not. Default 64 MiB. */
  readonly maxBodyBytes?: number;
}

/**
 * Serves only additional APIs, with the same checks of hosts and origins as `serveHttp`, and without Triton's API.
 * @throws PipelineError `port/in-use`; `server/unreachable` if the host is not an address of this machine.
 */
export const serveApis = ({
  apis,
  stream,
  maxBodyBytes = defaultMaxInputBytes,
  ...listen
}: ApiOptions): Promise<HttpServer> =>
  serveAnswers((request, signal) => {
    const [path = ""] = (request.url ?? "").split("?");
    const api = apis.find((one) => path.startsWith(one.path));
    if (api === undefined) return errorAnswer(404, "Not Found");
    const context = { request, signal, maxBodyBytes, onInternalError: listen.onInternalError };
    return answerApi(api, path, context, stream);
  }, listen);
