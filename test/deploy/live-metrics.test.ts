import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { httpTarget, type Load, machineClock, runLoad } from "@tritype/load-test";
import type { InferRequestMessage } from "@tritype/protocol";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../cli/free-port.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { checked } from "../cli/served-build.ts";
import { type DeployedProject, deployedProject, flowSource, rulesOf } from "./deployed-project.ts";
import { serveBuild } from "./serve-build.ts";
import { runSmoke } from "./smoke-script.ts";
import { prometheus } from "./tools.ts";

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** Starts a Prometheus with the deployment's rules, which scrapes a server twice a second. @param labels Those that Kubernetes would add. */
const startPrometheus = async (
  made: DeployedProject,
  metricsUrl: string,
  labels: Readonly<Record<string, string>>,
): Promise<(expr: string) => Promise<readonly Sample[]>> => {
  const port = await freePort();
  const config = {
    global: { scrape_interval: "500ms", evaluation_interval: "500ms" },
    rule_files: [made.path("deploy/observability/rules.yaml")],
    scrape_configs: [
      {
        job_name: "triton",
        static_configs: [{ targets: [new URL(metricsUrl).host], labels }],
      },
    ],
  };
  writeFileSync(made.path("prometheus.yml"), JSON.stringify(config));
  const { program, env } = await prometheus();
  const child = spawn(
    program,
    [
      `--config.file=${made.path("prometheus.yml")}`,
      `--storage.tsdb.path=${made.path("tsdb")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { env, stdio: "ignore" },
  );
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await ended;
  });
  return async (expr) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { data, error } = (await answer.json()) as {
      data?: { readonly result: readonly Sample[] };
      error?: string;
    };
    if (data === undefined) throw new Error(`${expr}: ${error ?? "no data"}`);
    return data.result;
  };
};

/** A request with a single row of numbers. */
const row = (first: number): InferRequestMessage => {
  const data = new Uint8Array(new Float32Array([first, 1, 1, 1]).buffer);
  return { inputs: new Map([["x", { dtype: "FP32", shape: [1, 4], data }]]) };
};

const rows = (count: number, first: (index: number) => number): readonly InferRequestMessage[] =>
  Array.from({ length: count }, (_, index) => row(first(index)));

/** A steady load that a server can easily carry. */
const calmly: Load = { kind: "open", rate: 20, connections: 4, seed: 1 };

/** Sends requests for longer than the three seconds over which the tests take rates. */
const send = (
  { httpUrl }: { readonly httpUrl: string },
  model: string,
  load: Load,
  sent: readonly InferRequestMessage[],
) =>
  runLoad({
    load,
    target: httpTarget(httpUrl, { model, requests: sent, timeoutMs: 20_000 }),
    clock: machineClock,
    warmMs: 0,
    measureMs: 4200,
    drainMs: 20_000,
    seed: 1,
    signal: new AbortController().signal,
  });

interface Variable {
  readonly type: string;
  readonly name: string;
  readonly query: string;
  readonly allValue?: string;
}

/**
 * Opens a dashboard as Grafana does: every variable lists the values of its label, of which the first is chosen, or all if there are
 * none. Every query must return series. Returns the listed values.
 */
const openDashboard = async (
  path: string,
  ask: (expr: string) => Promise<readonly Sample[]>,
): Promise<Readonly<Record<string, readonly string[]>>> => {
  const { panels, templating } = JSON.parse(readFileSync(path, "utf8")) as {
    panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    templating: { readonly list: readonly Variable[] };
  };
  const listed: Record<string, readonly string[]> = {};
  const chosen = new Map([["__rate_interval", "30s"]]);
  const filled = (expr: string): string =>
    [...chosen].reduce((text, [name, value]) => text.replaceAll(`$${name}`, value), expr);
  for (const { type, name, query, allValue = "" } of templating.list) {
    if (type !== "query") continue;
    const [, series = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(filled(query)) ?? [];
    const found = await ask(`count by (${label}) (${series})`);
    const values = found.flatMap(({ metric }) => metric[label] ?? []);
    listed[name] = values;
    chosen.set(name, values[0] ?? allValue);
  }
  for (const { expr } of panels.flatMap(({ targets }) => targets)) {
    expect((await ask(filled(expr))).length, `${path}: ${expr}`).toBeGreaterThan(0);
    expect(await ask(filled(expr).replaceAll(/instance=~"[^"]+"/g, 'instance="another"'))).toEqual([]);
  }
  return listed;
};

/** What the last query of a dashboard's panel returns for all servers, by model. */
const panel = async (
  path: string,
  title: string,
  ask: (expr: string) => Promise<readonly Sample[]>,
): Promise<Readonly<Record<string, number>>> => {
  const { panels } = JSON.parse(readFileSync(path, "utf8")) as {
    panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };
  const { expr = "" } = panels.find((one) => one.title === title)?.targets.at(-1) ?? {};
  const found = await ask(expr.replaceAll("$__rate_interval", "3s").replaceAll(/\$\w+/g, ".*"));
  return Object.fromEntries(found.map(({ metric, value: [, text] }) => [metric["model"], Number(text)]));
};

/** Two steps in models of their own, of which the second is slow. */
const unevenSource = `
const slow = step({
  name: "slow",
  inputs: { y: x },
  outputs: { sum },
  run({ y }) {
    let all = 0;
    for (let i = 0; i < 100_000; i++) all += (y[0] ?? 0) * (i % 7);
    return { sum: all };
  },
});
export const uneven = defineEnsemble({
  name: "uneven",
  maxBatchSize: 8,
  inputs: { x },
  run: ({ x }) => slow({ y: double({ x }).y }),
});
`;

/** The measured side of an alert: its expression without thresholds, and without the servers that it leaves out. */
const withoutThresholds = (expr: string): string =>
  expr.replace(/ unless on .*/, "").replaceAll(/ (?:[<>]|==) [\d.]+/g, "");

test("outside Kubernetes, a flow that handles its callee's failures does not raise the critical alert, its calls do not count as clients' requests, and a dashboard shows which step is slow", async () => {
  const made = await deployedProject("{}", `${flowSource}${unevenSource}`);
  const server = await serveBuild(made, ["--cache-config=local,size=1048576"]);
  const ask = await startPrometheus(made, server.metricsUrl, {});
  await expect.poll(() => ask("up").catch(() => []), { timeout: 30_000 }).toHaveLength(1);
  const value = async (name: string): Promise<readonly (readonly [string | undefined, number])[]> => {
    const rule = rulesOf(made).find(({ record, alert }) => name === (record ?? alert));
    const expr = (rule?.expr ?? "").replaceAll(/\[[15]m\]/g, "[3s]").replace(/ - [\d.]+, 0\)$/, ", 0)");
    const found = await ask(expr);
    return found.map(({ metric, value: [, text] }) => [metric["model"], Number(text)]);
  };
  const { failures } = await send(
    server,
    "fallback",
    calmly,
    rows(200, (index) => (index % 2 === 0 ? -1 - index : index)),
  );
  expect(failures).toEqual([]);
  const [failing, callees] = [await value("TritonFailures"), await value("TritonCalleeFailures")];
  const queue = (await value("tritype_queue_ms_fallback"))[0]?.[1] ?? Number.NaN;
  const each = async (model: string, counter: string): Promise<number> =>
    Number((await ask(`sum(rate(${counter}{model="${model}"}[3s]))`))[0]?.value[1]);
  const [requestRate, ownQueue] = await Promise.all([
    each("fallback", "nv_inference_request_success"),
    each("fallback", "nv_inference_queue_duration_us"),
  ]);
  console.log(`${requestRate.toFixed(1)} requests/s to the flow, queue ${queue.toFixed(2)} ms`, callees);
  expect(failing).toEqual([]);
  expect(callees.map(([model]) => model)).toEqual(["picky"]);
  expect(callees[0]?.[1]).toBeGreaterThan(0.4);
  const dashboard = made.path("deploy/observability/dashboards/fallback.json");
  const instance = [new URL(server.metricsUrl).host];
  expect(await openDashboard(dashboard, ask)).toEqual({ namespace: [], pod: [], instance });
  // Clients wait at least as long as the flow's own queue time: its calls must not lower this average.
  expect(ownQueue).toBeGreaterThan(0);
  expect(queue).toBeGreaterThan((0.9 * ownQueue) / requestRate / 1000);

  const failed = await send(
    server,
    "picky",
    calmly,
    rows(200, (index) => -1 - index),
  );
  expect(failed.failures.length).toBeGreaterThan(0);
  expect((await value("TritonCalleeFailures")).map(([model]) => model)).toEqual(["picky"]);

  expect((await send(server, "uneven", calmly, [row(1)])).failures).toEqual([]);
  const uneven = made.path("deploy/observability/dashboards/uneven.json");
  const shares = await panel(uneven, "Share of each step", ask);
  const latencies = await panel(uneven, "Latency by step", ask);
  console.log("the dashboard of an ensemble with a slow step", shares, latencies);
  expect(Object.keys(shares).toSorted()).toEqual(["double", "slow"]);
  expect(shares["slow"]).toBeGreaterThan(0.5);
  expect(latencies["slow"]).toBeGreaterThan(latencies["double"] ?? Number.POSITIVE_INFINITY);
}, 600_000);

test("smoke accepts a real Triton; every expression returns series under load; the members' queues grow with the load, the ensemble's does not", async () => {
  const made = await deployedProject();
  const server = await serveBuild(made, ["--cache-config=local,size=1048576"]);
  const smoke = await pipeline(made, ["smoke", "total", "--url", server.httpUrl, "--repeats", "5"]);
  expect({ code: smoke.code, err: smoke.err }).toMatchObject({ code: 0 });
  const totals = ["contract", "warmup", "answers", "latency"].map((what) => `total ${what} ok`);
  expect(checked(smoke.out)).toEqual(["server ready ok", ...totals]);
  const script = await runSmoke(made.path("deploy/chart/files"), server.httpUrl);
  const others = ["ids contract ok", "twice contract ok"];
  expect(checked(script.out).toSorted()).toEqual(["server ready ok", ...totals, ...others].toSorted());
  expect(script.code).toBe(0);

  const ask = await startPrometheus(made, server.metricsUrl, { namespace: "prod", pod: "embed-1" });
  await expect.poll(() => ask("up").catch(() => []), { timeout: 30_000 }).toHaveLength(1);
  const succeed = async (
    model: string,
    load: Load = calmly,
    sent = rows(10, (index) => index),
  ): Promise<void> => {
    const { failures } = await send(server, model, load, sent);
    expect(failures).toEqual([]);
  };
  const text = new TextEncoder().encode("hello");
  const texts: InferRequestMessage = {
    inputs: new Map([["text", { dtype: "BYTES", shape: [1, 1], data: [text] }]]),
  };
  const now = async (expr: string): Promise<number> => {
    const [sample] = await ask(expr);
    return Number(sample?.value[1]);
  };
  const total = "tritype_queue_ms_total";
  const ofTotal = (metric: string, over: string): string => `${over}(${metric}{model="total"}[3s])`;
  const [waited, answered] = ["nv_inference_queue_duration_us", "nv_inference_request_success"] as const;
  /** NVIDIA's rules for autoscaling, which read one model, and their targets. */
  const published = [
    [`avg(${ofTotal(waited, "delta")} / (1 + ${ofTotal(answered, "delta")}))`, 50],
    [
      `sum(${ofTotal(waited, "rate")}) / clamp_min(sum(${ofTotal("nv_inference_compute_infer_duration_us", "rate")}), 1)`,
      1,
    ],
  ] as const;
  const ensembleQueue = `sum(rate(nv_inference_queue_duration_us{model="total"}[3s])) / sum(rate(nv_inference_request_success{model="total"}[3s])) / 1000`;
  const rule = rulesOf(made).find(({ record }) => record === total);
  const expr = rule?.expr.replaceAll("[1m]", "[3s]") ?? "";
  await Promise.all([succeed("total"), succeed("twice"), succeed("ids", calmly, [texts])]);
  const calm = await now(expr);
  // The response cache answers none of these.
  const different = rows(20_000, (index) => index);
  await Promise.all([
    succeed("total", { kind: "closed", clients: 128 }, different),
    succeed("ids", calmly, [texts]),
  ]);
  const [busy, own] = [await now(expr), await now(ensembleQueue)];
  for (const [theirs, target] of published) expect(await now(theirs), theirs).toBeLessThan(target);
  console.log(
    `queue beyond the delays: ${calm.toFixed(2)} ms with a calm load, ${busy.toFixed(2)} ms with 128 clients; of the ensemble ${own.toFixed(3)} ms`,
  );
  expect(busy).toBeGreaterThan(calm + 1);
  expect(own).toBeLessThan(1);
  await expect.poll(() => ask(total)).toMatchObject([{ metric: { namespace: "prod", pod: "embed-1" } }]);

  const alerts = rulesOf(made).filter(({ alert }) => alert !== undefined);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(6);
  for (const { alert, expr: whole } of alerts)
    expect((await ask(withoutThresholds(whole))).length, alert).toBeGreaterThan(0);

  const folder = made.path("deploy/observability/dashboards");
  for (const file of readdirSync(folder))
    expect(await openDashboard(`${folder}/${file}`, ask)).toEqual({
      namespace: ["prod"],
      pod: ["embed-1"],
      instance: [new URL(server.metricsUrl).host],
    });

  const down = alerts.find(({ alert }) => alert === "TritonServerDown")?.expr ?? "";
  expect(await ask(down)).toEqual([]);
  await server.stop();
  // The server, and the absence of all servers.
  await expect
    .poll(() => ask(down))
    .toMatchObject([{ metric: { namespace: "prod", pod: "embed-1" } }, { metric: {} }]);
}, 600_000);
