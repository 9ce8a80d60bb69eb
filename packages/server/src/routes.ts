import { type Answer, emptyAnswer, errorAnswer, jsonAnswer, type StreamedAnswer } from "./answer.ts";
import { loadRoute, refuseRepositoryName, unloadRoute } from "./control-route.ts";
import { doorAnswer } from "./door-answer.ts";
import { generateRoute, generateStreamRoute } from "./generate-route.ts";
import { indexRoute } from "./index-route.ts";
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

type Handler = (
  context: RouteContext,
  model: string,
  version: string | undefined,
) => RouteAnswer | Promise<RouteAnswer>;
type RouteAnswer = Answer | StreamedAnswer;

interface Route {
  readonly api: Restrictable;
  readonly methods: readonly string[];
  /** Its groups are the model or the region, and the version if there is one. */
  readonly path: RegExp;
  readonly handle: Handler;
}

/** The answer to a request; 404 for a path Triton does not have, 405 for another verb. */
export const route = (context: RouteContext): RouteAnswer | Promise<RouteAnswer> => {
  context.extensions.log.verbose(`HTTP request: ${context.request.method} ${context.request.url}`);
  const [path = ""] = (context.request.url ?? "").split("?");
  for (const { api, methods, path: pattern, handle } of routes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const refusal = httpRefusal(context.restrictions, api, context.request);
    if (refusal !== undefined) return errorAnswer(403, refusal);
    if (!methods.includes(context.request.method ?? "")) return errorAnswer(405, "Method Not Allowed");
    const [, model = "", version] = match;
    return handle(context, model, version === undefined ? undefined : parseVersion(version));
  }
  const door = context.doors.find((one) => path.startsWith(one.path));
  if (door !== undefined) {
    const refusal = httpRefusal(context.restrictions, "inference", context.request);
    return refusal === undefined ? doorAnswer(door, path, context) : errorAnswer(403, refusal);
  }
  return errorAnswer(404, "Not Found");
};

const modelPath = (rest: string): RegExp => new RegExp(`^/v2/models/([^/]+)(?:/versions/([0-9]+))?${rest}$`);
const memoryPath = (rest: string): RegExp =>
  new RegExp(`^/v2/${rest.replace("/", "sharedmemory(?:/region/([^/]+))?/")}$`);
const get = ["GET"];
const post = ["POST"];
const getOrPost = ["GET", "POST"];

/** The first match wins. As in Triton, names in the path are not percent-decoded. */
const routes: readonly Route[] = [
  {
    api: "statistics",
    methods: get,
    path: /^\/v2\/models\/stats$/,
    handle: ({ runtime }) => jsonAnswer(printStatistics(runtime)),
  },
  { api: "logging", methods: getOrPost, path: /^\/v2\/logging$/, handle: loggingRoute },
  {
    api: "health",
    methods: get,
    path: modelPath("/ready"),
    handle: ({ runtime }, model, version) =>
      runtime.modelReady(model, version) ? emptyAnswer(200) : errorAnswer(400, "Model version not ready"),
  },
  { api: "inference", methods: post, path: modelPath("/infer"), handle: inferRoute },
  {
    api: "model-config",
    methods: get,
    path: modelPath("/config"),
    handle: ({ runtime }, model, version) => jsonAnswer(runtime.modelConfig(model, version)),
  },
  {
    api: "statistics",
    methods: get,
    path: modelPath("/stats"),
    handle: ({ runtime }, model, version) => jsonAnswer(printStatistics(runtime, model, version)),
  },
  { api: "inference", methods: post, path: modelPath("/generate"), handle: generateRoute },
  { api: "inference", methods: post, path: modelPath("/generate_stream"), handle: generateStreamRoute },
  {
    api: "trace",
    methods: getOrPost,
    path: /^\/v2\/models\/([^/]+)\/trace\/setting$/,
    handle: traceRoute,
  },
  {
    api: "metadata",
    methods: get,
    path: modelPath(""),
    handle: ({ runtime }, model, version) => jsonAnswer(runtime.modelMetadata(model, version)),
  },
  {
    api: "metadata",
    methods: get,
    path: /^\/v2$/,
    handle: ({ runtime }) => jsonAnswer(runtime.serverMetadata()),
  },
  {
    api: "health",
    methods: get,
    path: /^\/v2\/health\/live$/,
    handle: ({ runtime }) => emptyAnswer(runtime.live ? 200 : 400),
  },
  {
    api: "health",
    methods: get,
    path: /^\/v2\/health\/ready$/,
    handle: ({ runtime }) => emptyAnswer(runtime.ready ? 200 : 400),
  },
  { api: "shared-memory", methods: get, path: memoryPath("system/status"), handle: systemStatusRoute },
  { api: "shared-memory", methods: post, path: memoryPath("system/register"), handle: registerSystemRoute },
  {
    api: "shared-memory",
    methods: post,
    path: memoryPath("system/unregister"),
    handle: unregisterSystemRoute,
  },
  { api: "shared-memory", methods: get, path: memoryPath("cuda/status"), handle: cudaStatusRoute },
  { api: "shared-memory", methods: post, path: memoryPath("cuda/register"), handle: registerCudaRoute },
  { api: "shared-memory", methods: post, path: memoryPath("cuda/unregister"), handle: unregisterCudaRoute },
  {
    api: "model-repository",
    methods: post,
    path: /^\/v2\/repository(?:\/[^/]+)?\/index$/,
    handle: indexRoute,
  },
  {
    api: "model-repository",
    methods: post,
    path: /^\/v2\/repository\/models\/([^/]+)\/load$/,
    handle: loadRoute,
  },
  {
    api: "model-repository",
    methods: post,
    path: /^\/v2\/repository\/models\/([^/]+)\/unload$/,
    handle: unloadRoute,
  },
  {
    api: "model-repository",
    methods: post,
    path: /^\/v2\/repository\/[^/]+\/models\/[^/]+\/(?:un)?load$/,
    handle: refuseRepositoryName,
  },
  { api: "trace", methods: getOrPost, path: /^\/v2\/trace\/setting$/, handle: traceRoute },
];
