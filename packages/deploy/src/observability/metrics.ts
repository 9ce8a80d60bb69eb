import type { ServedGroup } from "../served-groups.ts";

/** The labels of a server: in Kubernetes all of them, elsewhere only the address from which Prometheus gets its metrics. */
export const serverLabels = "namespace, pod, instance";

/** How the names of all queues begin. */
export const queuePrefix = "tritype_queue_ms_";

/** Name of a group's queue as a metric of pods. */
export const queueMetric = ({ name }: Pick<ServedGroup, "name">): string => `${queuePrefix}${name}`;

/**
 * PromQL: milliseconds that a request to a group waited in its members' queues, beyond their batching delays; one series for each
 * server. The queue of the ensemble itself is always near zero in Triton: only its members queue. If code calls a member
 * more than once in a request, one call counts, because calls may run at the same time. The value is 0 if there are no requests.
 * @param selector Further matchers of labels, or a placeholder for them.
 */
export const queuePerRequest = (
  { members, callees, weights, delayMs }: ServedGroup,
  selector = "",
  window = "1m",
): string => {
  const rate = rateBy(serverLabels, window, selector);
  const rateOfEach = rateBy(`${serverLabels}, model`, window, selector);
  const once = [...weights].flatMap(([name, weight]) => (weight === 1 ? [name] : []));
  const requests = [
    rate("nv_inference_request_success", once),
    ...[...weights].flatMap(([name, weight]) =>
      weight === 1 ? [] : [`${-weight} * ${rate("nv_inference_request_success", [name])}`],
    ),
  ].join(" - ");
  const steps = members.filter((member) => !callees.includes(member));
  const own = `${rate("nv_inference_queue_duration_us", steps)} / clamp_min(${requests}, 0.01)`;
  if (callees.length === 0) return `clamp_min(${own} / 1000 - ${delayMs}, 0)`;
  // For each callee, the larger of two rates: the callee's own requests, and the requests of clients.
  const each = `on (${serverLabels}) group_left ()`;
  const counted = `clamp_min(${rateOfEach("nv_inference_request_success", callees)} - ${each} (${requests}), 0) + ${each} (${requests})`;
  const called = `sum by (${serverLabels}) (${rateOfEach("nv_inference_queue_duration_us", callees)} / clamp_min(${counted}, 0.01))`;
  return `clamp_min((${own} + ${called}) / 1000 - ${delayMs}, 0)`;
};

/** PromQL for the growth rate of a counter of these models. */
export type Rate = (metric: string, models: readonly string[]) => string;

/** @param selector Additional label matchers. */
export const rateBy =
  (labels: string, window: string, selector = ""): Rate =>
  (metric, models) =>
    `sum by (${labels}) (rate(${metric}{${matchers(models, selector)}}[${window}]))`;

/** PromQL: the share of requests to these models that the response cache answers. */
export const cacheHitShare = (rate: Rate, models: readonly string[]): string => {
  const hits = rate("nv_cache_num_hits_per_model", models);
  return `${hits} / (${hits} + ${rate("nv_cache_num_misses_per_model", models)})`;
};

/** PromQL matchers: one of the models (or with `!~` none of them), and the selector. */
export const matchers = (models: readonly string[], selector = "", operator: "=~" | "!~" = "=~"): string =>
  [`model${operator}"${models.map(escaped).join("|")}"`, ...(selector === "" ? [] : [selector])].join(",");

/**
 * Escapes a name for a regular expression within a PromQL string. Names of models have letters, digits, "_", "-" and
 * ".".
 */
const escaped = (name: string): string => name.replaceAll(/[^\w-]/g, (char) => `\\\\${char}`);
