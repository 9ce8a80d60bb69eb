import {
  type Answer,
  answeredPlainly,
  emptyAnswer,
  errorAnswer,
  exactJsonAnswer,
  jsonAnswer,
  plainly,
  type StreamedAnswer,
} from "./answer.ts";
import { indexRoute, loadRoute, refuseRepositoryName, unloadRoute } from "./control-route.ts";
import { generateRoute, generateStreamRoute } from "./generate-route.ts";
import { inferRoute } from "./infer-route.ts";
import { parseVersion } from "./parse-version.ts";
import { printStatistics } from "./print-statistics.ts";
import { httpRefusal, type Restrictable } from "./restrictions.ts";
import type { RouteContext } from "./route-context.ts";
import { loggingRoute, traceRoute } from "./settings/settings-routes.ts";
import {
  cudaStatusRoute,
  registerCudaRoute,
  registerSystemRoute,
  systemStatusRoute,
  unregisterCudaRoute,
  unregisterSystemRoute,
} from "./shared-memory/shared-memory-routes.ts";
import { answerApi } from "./answer-api.ts";
import type { HttpApi } from "./http-api.ts";
import { now } from "./tracing/moments.ts";
import type { ServerTrace } from "./tracing/open-trace.ts";
import { sampleHttp, traced } from "./tracing/traced-answer.ts";

type Handler = (
  context: RouteContext,
  model: string,
  version: string | undefined,
) => RouteAnswer | Promise<RouteAnswer>;
type RouteAnswer = Answer | StreamedAnswer;

/** The groups of `path` match the model or region, and the version, if there are any. */
type Route = readonly [api: Restrictable, methods: readonly string[], path: RegExp, handle: Handler];

/** The answer to a request; 404 for a path Triton does not have, 405 for another verb. */
export const route = (context: RouteContext): RouteAnswer | Promise<RouteAnswer> => {
  context.extensions.log.verbose(`HTTP request: ${context.request.method} ${context.request.url}`);
  const path = pathOf(context.request.url ?? "");
  for (const [api, methods, pattern, handle] of routes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const refusal = httpRefusal(context.restrictions, api, context.request);
    if (refusal !== undefined) return plainly(errorAnswer(403, refusal));
    if (!methods.includes(context.request.method ?? "")) {
      const answer = errorAnswer(405, "Method Not Allowed");
      return api === "health" || handle === inferRoute ? plainly(answer) : answer;
    }
    const [, model = "", version] = match;
    return handle(context, model, version === undefined ? undefined : readVersion(version, handle));
  }
  const api = context.apis.find((one) => path.startsWith(one.path));
  if (api !== undefined) {
    const refusal = httpRefusal(context.restrictions, "inference", context.request);
    return refusal === undefined ? apiAnswer(api, path, context) : plainly(errorAnswer(403, refusal));
  }
  return plainly(errorAnswer(404, "Not Found"));
};

const pathOf = (url: string): string => {
  // Clients of a proxy send absolute URLs.
  const local = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const end = local.indexOf("?");
  return end < 0 ? local : local.slice(0, end);
};

const readVersion = (text: string, handle: Handler): string | undefined => {
  try {
    return parseVersion(text);
  } catch (error) {
    throw handle === inferRoute || handle === modelReadyRoute ? answeredPlainly(error) : error;
  }
};

const modelPath = (rest: string): RegExp => new RegExp(`^/v2/models/([^/]+)(?:/versions/([0-9]+))?${rest}$`);
const modelReadyRoute: Handler = ({ runtime }, model, version) =>
  plainly(runtime.modelReady(model, version) ? emptyAnswer : errorAnswer(400, "Model version not ready"));
const healthAnswer = (holds: boolean): Answer => plainly({ ...emptyAnswer, status: holds ? 200 : 400 });
const memoryPath = (rest: string): RegExp =>
  new RegExp(`^/v2/${rest.replace("/", "sharedmemory(?:/region/([^/]+))?/")}$`);
const exactly = (path: string): RegExp => new RegExp(`^/v2${path}$`);

const get = ["GET"];
const post = ["POST"];
const getOrPost = ["GET", "POST"];

/** The first match wins. As in Triton, names in the path are not percent-decoded. */
const routes: readonly Route[] = [
  ["inference", post, modelPath("/infer"), inferRoute],
  ["statistics", get, exactly("/models/stats"), ({ runtime }) => jsonAnswer(printStatistics(runtime))],
  ["logging", getOrPost, exactly("/logging"), loggingRoute],
  ["health", get, modelPath("/ready"), modelReadyRoute],
  [
    "model-config",
    get,
    modelPath("/config"),
    ({ runtime }, ...model) => exactJsonAnswer(runtime.modelConfig(...model)),
  ],
  [
    "statistics",
    get,
    modelPath("/stats"),
    ({ runtime }, ...model) => jsonAnswer(printStatistics(runtime, ...model)),
  ],
  ["inference", post, modelPath("/generate"), generateRoute],
  ["inference", post, modelPath("/generate_stream"), generateStreamRoute],
  ["trace", getOrPost, exactly("/models/([^/]+)/trace/setting"), traceRoute],
  ["metadata", get, modelPath(""), ({ runtime }, ...model) => jsonAnswer(runtime.modelMetadata(...model))],
  ["metadata", get, exactly(""), ({ runtime }) => jsonAnswer(runtime.serverMetadata())],
  ["health", get, exactly("/health/live"), ({ runtime }) => healthAnswer(runtime.live)],
  ["health", get, exactly("/health/ready"), ({ runtime }) => healthAnswer(runtime.ready)],
  ["shared-memory", get, memoryPath("system/status"), systemStatusRoute],
  ["shared-memory", post, memoryPath("system/register"), registerSystemRoute],
  ["shared-memory", post, memoryPath("system/unregister"), unregisterSystemRoute],
  ["shared-memory", get, memoryPath("cuda/status"), cudaStatusRoute],
  ["shared-memory", post, memoryPath("cuda/register"), registerCudaRoute],
  ["shared-memory", post, memoryPath("cuda/unregister"), unregisterCudaRoute],
  ["model-repository", post, exactly("/repository(?:/[^/]+)?/index"), indexRoute],
  ["model-repository", post, exactly("/repository/models/([^/]+)/load"), loadRoute],
  ["model-repository", post, exactly("/repository/models/([^/]+)/unload"), unloadRoute],
  ["model-repository", post, exactly("/repository/[^/]+/models/[^/]+/(?:un)?load"), refuseRepositoryName],
  ["trace", getOrPost, exactly("/trace/setting"), traceRoute],
];

/** The answer of an additional API to a request. The API's requests to models are traced like those of a client, unless the API records them itself. */
const apiAnswer = async (
  api: HttpApi,
  path: string,
  context: RouteContext,
): Promise<Answer | StreamedAnswer> => {
  const received = now();
  let trace: ServerTrace | undefined;
  const answer = await answerApi(api, path, context, (asked, signal, accepted, own) => {
    trace = own === undefined ? sampleHttp(context, asked.model, received) : undefined;
    return context.runtime.stream(asked, signal, accepted, own ?? trace?.request);
  });
  return traced(answer, () => trace);
};
