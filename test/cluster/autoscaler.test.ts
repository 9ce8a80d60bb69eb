import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, exampleProject, helm, kubectl, restrictedNamespace, startLoad } from "./cluster.ts";
import { setScrapedPods, startMonitoring, stopMonitoring } from "./monitoring.ts";
import { printLoad } from "./print-load.ts";
import { buildRelease, serviceAddress, upgrade } from "./release.ts";

const minutes = 60_000;
const project = exampleProject();
const namespace = "scaled";
const metric = "tritype_queue_ms_embed";

/** A user's values. The limit gives each server a fraction of this machine's processors, so that more servers carry more load. */
const values = {
  autoscaling: { kind: "hpa", minReplicas: 1, maxReplicas: 3, scaleDownSeconds: 30 },
  resources: { requests: { cpu: "100m" }, limits: { cpu: "400m" } },
};

beforeAll(async () => {
  const release = await buildRelease(project, "scaled");
  await startMonitoring(join(project.root, "deploy/observability"));
  await restrictedNamespace(namespace);
  await upgrade(release, namespace, values, "--wait", "--timeout=5m");
}, 30 * minutes);

afterAll(async () => {
  await helm("uninstall", "embed", `--namespace=${namespace}`);
  await stopMonitoring();
  project.remove();
}, 3 * minutes);

/** The state of the autoscaler and its servers. */
interface Seen {
  readonly servers: number;
  readonly ready: number;
  /** The metric as the autoscaler sees it, averaged over the servers: a quantity in milliseconds. */
  readonly queue?: string | undefined;
  /** Why the autoscaler does nothing, if it does not. */
  readonly inactive?: string | undefined;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
    readonly currentMetrics?: readonly {
      readonly pods?: { readonly current: { readonly averageValue: string } };
    }[];
  };
}

const started = performance.now();
let printed = "";

/** Looks at the autoscaler, and tells Prometheus which servers there are. */
const look = async (): Promise<Seen> => {
  await sleep(1500);
  const kinds = "pods,horizontalpodautoscalers";
  const list = await kubectl("get", kinds, `--namespace=${namespace}`, "--output=json");
  const { items } = JSON.parse(list) as { readonly items: readonly Item[] };
  const pods = items.filter(({ kind }) => kind === "Pod");
  const status = items.find(({ kind }) => kind === "HorizontalPodAutoscaler")?.status;
  setScrapedPods(
    pods.flatMap(({ metadata: { name }, status: { podIP: address } }) =>
      address === undefined ? [] : [{ namespace, name, address }],
    ),
  );
  const active = status?.conditions?.find(({ type }) => type === "ScalingActive");
  const seen: Seen = {
    servers: pods.length,
    ready: pods.filter(({ status: { conditions } }) =>
      conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
    ).length,
    queue: status?.currentMetrics?.[0]?.pods?.current.averageValue,
    inactive: active?.status === "True" ? undefined : (active?.message ?? "it has not run yet"),
  };
  const text = JSON.stringify(seen);
  if (text !== printed)
    console.log(`autoscaler, ${Math.round((performance.now() - started) / 1000)} s: ${text}`);
  printed = text;
  return seen;
};

/** A Kubernetes quantity such as `131856m` or `12`; 0 if there is none. */
const milliseconds = (quantity = "0"): number =>
  quantity.endsWith("m") ? Number(quantity.slice(0, -1)) / 1000 : Number(quantity);

const seenUntil = (fits: (seen: Seen) => boolean, limit: number): Promise<Seen> =>
  eventually(look, fits, limit);

test(
  "prometheus-adapter with the emitted values gives the autoscaler the queue of each server",
  async () => {
    const seen = await seenUntil(({ inactive, queue }) => inactive === undefined && queue !== undefined, 5);
    expect(seen).toEqual({ servers: 1, ready: 1, queue: "0", inactive: undefined });
    const path = `/apis/custom.metrics.k8s.io/v1beta1/namespaces/${namespace}/pods/*/${metric}`;
    const { items } = JSON.parse(await kubectl("get", "--raw", path)) as {
      readonly items: readonly {
        readonly describedObject: { readonly name: string };
        readonly value: string;
      }[];
    };
    const names = await kubectl("get", "pods", `--namespace=${namespace}`, "--output=name");
    expect(items.map(({ describedObject, value }) => [`pod/${describedObject.name}`, value])).toEqual([
      [names.trim(), "0"],
    ]);
  },
  6 * minutes,
);

test(
  "the autoscaler adds servers under a load that one server cannot carry, and removes them after it, without a failed request",
  async () => {
    const client = join(project.root, "build/client/embed.js");
    const address = await serviceAddress(namespace);
    const heavy = startLoad(client, address, { typedGrpc: 32, typedHttp: 8 });
    const rate = async (): Promise<number> => {
      const [before, start] = [await heavy.sent(), performance.now()];
      await sleep(15_000);
      const after = await heavy.sent();
      const requests = after.typedGrpc + after.typedHttp - before.typedGrpc - before.typedHttp;
      return (requests * 1000) / (performance.now() - start);
    };
    await sleep(5000);
    const one = await rate();
    let longest = 0;
    await seenUntil(({ ready, queue }) => {
      longest = Math.max(longest, milliseconds(queue));
      return ready === 3;
    }, 6);
    // Its connections are spread over all servers, some of which will be removed.
    const light = startLoad(client, address, { typedGrpc: 3, typedHttp: 6 }, 300);
    await sleep(10_000);
    const three = await rate();
    console.log(`autoscaler: ${one.toFixed(0)} requests/s with one server, ${three.toFixed(0)} with three`);
    // More servers carry the same load with shorter queues. Clients over HTTP stay at the first server.
    await seenUntil(({ queue }) => milliseconds(queue) < 0.75 * longest, 3);
    const results = { heavy: await heavy.stop() };
    await seenUntil(({ servers }) => servers === 1, 10);
    await sleep(5000);
    for (const [name, result] of Object.entries({ ...results, light: await light.stop() })) {
      printLoad(`autoscaler, ${name} load`, result);
      for (const [kind, { failures, answered }] of Object.entries(result)) {
        expect(failures, `${name}, ${kind}`).toEqual([]);
        expect(answered, `${name}, ${kind}`).toBeGreaterThan(1000);
      }
    }
    const about = "--field-selector=involvedObject.kind=HorizontalPodAutoscaler";
    const events = await kubectl(
      "get",
      "events",
      `--namespace=${namespace}`,
      about,
      "--output=custom-columns=M:.message",
    );
    console.log(events);
    expect(events).toContain(`New size: 2; reason: pods metric ${metric} above target`);
    expect(events).toContain(`New size: 3; reason: pods metric ${metric} above target`);
    expect(events).toContain("New size: 1; reason: All metrics below target");
  },
  25 * minutes,
);
