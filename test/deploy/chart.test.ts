import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { pipeline } from "../cli/run-pipeline.ts";
import { chartChoices } from "./chart-choices.ts";
import { builtProject, deployedProject } from "./deployed-project.ts";
import {
  image,
  type KubernetesObject,
  kubernetesReleases,
  renderChart,
  rendered,
  runTool,
  serverArguments,
  validateKubernetes,
} from "./tools.ts";

const downloads = 300_000;

interface DeploymentSpec {
  readonly template: {
    readonly spec: { readonly initContainers?: readonly { readonly command: readonly string[] }[] };
  };
}

/** The volumes of the choices with caches. */
const cacheVolumes =
  '{"name":"cache-0","persistentVolumeClaim":{"claimName":"engines"}},{"name":"cache-1","emptyDir":{}}';

/** API groups of other projects, for whose kinds Kubernetes has no schema. */
const foreign = /^(?:keda\.sh|monitoring\.coreos\.com|gateway\.networking\.k8s\.io|serving\.kserve\.io)\//;

test(
  "helm lints and renders the chart with every choice of values, and the oldest and newest Kubernetes accept the objects",
  async () => {
    const made = await deployedProject('{ platforms: ["kserve", "gateway"] }');
    const choices = chartChoices(image);
    const all: KubernetesObject[] = [];
    const answers = await renderChart(
      made.path("deploy/chart"),
      Object.values(choices).map(([values]) => values),
    );
    for (const [index, [name, [, wanted]]] of Object.entries(choices).entries()) {
      const { lint, objects } = rendered(answers[index]);
      expect(lint, name).toEqual([]);
      expect(Object.keys(objects), name).toEqual(expect.arrayContaining([...wanted]));
      if (name === "caches" || name === "kserve") expect(JSON.stringify(objects)).toContain(cacheVolumes);
      // A gateway accepts only one of an HTTPRoute and a GRPCRoute with the same hostnames.
      expect(Object.keys(objects)).not.toContain("GRPCRoute/embed");
      if (name === "kserve") expect(Object.keys(objects)).not.toContain("Deployment/embed");
      all.push(...Object.values(objects));
    }
    const different = [...new Map(all.map((object) => [JSON.stringify(object), object])).values()];
    // kubernetes-validate has no schemas for the others, which are in kubeconform.test.ts.
    const builtIn = different.filter(({ apiVersion }) => !foreign.test(apiVersion));
    expect(new Set(builtIn.map(({ kind }) => kind)).size).toBe(8);
    expect(await validateKubernetes(builtIn, ...kubernetesReleases)).toBe("");
    const budget = builtIn.find(({ kind }) => kind === "PodDisruptionBudget");
    const misspelt = { ...budget, spec: { maxUnavailble: 1 } } as KubernetesObject;
    expect(await validateKubernetes([misspelt], "1.34")).toContain("maxUnavailble");
  },
  downloads,
);

test(
  "an autoscaler sets the number of servers based on the members' queues",
  async () => {
    const made = await deployedProject();
    const [answer] = await renderChart(made.path("deploy/chart"), [{ image, autoscaling: { kind: "hpa" } }]);
    const { objects } = rendered(answer);
    expect(objects["Deployment/embed"]?.spec).not.toHaveProperty("replicas");
    expect(objects["HorizontalPodAutoscaler/embed"]?.spec).toMatchObject({
      minReplicas: 2,
      metrics: [
        { type: "Pods", pods: { metric: { name: "tritype_queue_ms_ids" }, target: { averageValue: "20" } } },
        {
          type: "Pods",
          pods: { metric: { name: "tritype_queue_ms_total" }, target: { averageValue: "20" } },
        },
      ],
    });
  },
  downloads,
);

test.each([
  ["1e3", "1e3"],
  ["on", "on"],
  ["2026-11-30", "2026-11-30"],
  ["__", "triton"],
])(
  "an ensemble and a profile may have the name %s, which YAML reads differently",
  async (name, chart) => {
    const made = await builtProject();
    const source = readFileSync(made.path("pipeline.ts"), "utf8");
    const [first = ""] = source.split("export const twice");
    made.write("pipeline.ts", first.replace('name: "total"', `name: "${name}"`));
    made.write("package.json", JSON.stringify({ name }));
    made.write("pipeline.config.ts", `export default { profiles: { "${name}": {} } };\n`);
    for (const command of ["build", "deploy"])
      expect(await pipeline(made, [command])).toMatchObject({ code: 0 });
    // As Helm, Compose and Prometheus read it.
    const read = (path: string): unknown =>
      parse(readFileSync(made.path(`deploy/${path}`), "utf8"), { version: "1.1", merge: true });
    expect(read("chart/Chart.yaml")).toMatchObject({ name: chart });
    expect(read("compose/compose.yaml")).toMatchObject({ name: expect.any(String) });
    expect(read(`chart/values-${name}.yaml`)).toMatchObject({ server: { profile: name } });
    expect(JSON.stringify(read("observability/rules.yaml"))).toContain(`"ensemble":"${name}"`);
    const [answer] = await renderChart(made.path("deploy/chart"), [
      { image, ...Object(read(`chart/values-${name}.yaml`)) },
    ]);
    const { lint, objects } = rendered(answer);
    expect(lint).toEqual([]);
    const smoke = JSON.parse(smokeData(objects)["smoke.json"]) as { readonly ensembles: object };
    expect(Object.keys(smoke.ensembles)).toContain(name);
    expect(serverArguments(answer)).toContain(`--model-config-name=${name}`);
  },
  downloads,
);

test(
  "a release may have the name true, which YAML does not read as a text",
  async () => {
    const made = await deployedProject('{ platforms: ["kserve", "gateway"] }');
    const values = Object.values(chartChoices(image)).map(([each]) => each);
    const expected = await renderChart(made.path("deploy/chart"), values);
    // A chart is always rendered for a release with the name embed.
    const helpers = "deploy/chart/templates/_helpers.tpl";
    made.write(helpers, readFileSync(made.path(helpers), "utf8").replaceAll(/\.Release\.Name\b/g, '"true"'));
    const answers = await renderChart(made.path("deploy/chart"), values);
    for (const [index, answer] of answers.entries()) {
      const { lint, objects } = rendered(answer);
      expect(lint).toEqual([]);
      const named = JSON.stringify(rendered(expected[index]).objects).replaceAll("embed", "true");
      expect(objects).toEqual(JSON.parse(named));
    }
  },
  downloads,
);

test(
  "without clients, nothing but Prometheus may connect to the servers",
  async () => {
    const made = await deployedProject();
    const closed = { image, networkPolicy: { clients: [] } };
    const answers = await renderChart(made.path("deploy/chart"), [
      closed,
      { image, networkPolicy: { clients: [], prometheus: [] } },
    ]);
    const policies = answers.map((answer) => rendered(answer).objects["NetworkPolicy/embed"]?.spec);
    const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];
    expect(policies).toMatchObject([{ ingress: [{ from, ports: [{ port: "metrics" }] }] }, { ingress: [] }]);
  },
  downloads,
);

test(
  "the objects of the Prometheus operator have the labels by which Prometheus chooses them",
  async () => {
    const made = await deployedProject();
    const labels = { release: "kube-prometheus-stack" };
    const answers = await renderChart(
      made.path("deploy/chart"),
      ["pod", "service"].map((scrape) => ({ image, monitoring: { scrape, rules: true, labels } })),
    );
    const objects = Object.assign({}, ...answers.map((answer) => rendered(answer).objects)) as Readonly<
      Record<string, KubernetesObject>
    >;
    for (const kind of ["PodMonitor", "ServiceMonitor", "PrometheusRule"])
      expect(labelsOf(objects[`${kind}/embed`]?.metadata), kind).toMatchObject({
        ...labels,
        "app.kubernetes.io/instance": "embed",
      });
  },
  downloads,
);

test(
  "KEDA does not take a Prometheus without series for empty queues",
  async () => {
    const made = await deployedProject();
    const keda = { kind: "keda", prometheus: "http://p:9090" };
    const [answer] = await renderChart(made.path("deploy/chart"), [{ image, autoscaling: keda }]);
    const trigger = { metadata: { ignoreNullValues: "false" } };
    expect(rendered(answer).objects["ScaledObject/embed"]?.spec).toMatchObject({
      triggers: [trigger, trigger],
    });
  },
  downloads,
);

test(
  "the pod of helm test may call the servers, whoever else may",
  async () => {
    const made = await deployedProject();
    const clients = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "gateways" } } }];
    const [answer] = await renderChart(made.path("deploy/chart"), [{ image, networkPolicy: { clients } }]);
    const { objects } = rendered(answer);
    const policy = objects["NetworkPolicy/embed"]?.spec as
      | {
          readonly ingress: readonly {
            readonly from: readonly object[];
            readonly ports: readonly object[];
          }[];
        }
      | undefined;
    const toClients = policy?.ingress[0];
    expect(toClients?.ports).toEqual([{ port: "http" }, { port: "grpc" }]);
    expect(toClients?.from.slice(0, -1)).toEqual(clients);
    const last = toClients?.from.at(-1) as { readonly podSelector: { readonly matchLabels: Labels } };
    expect(labelsOf(objects["Pod/embed-smoke"]?.metadata)).toMatchObject(last.podSelector.matchLabels);
  },
  downloads,
);

test(
  "helm test runs the chart's script next to its samples, with the limits in the values",
  async () => {
    const made = await deployedProject();
    const answers = await renderChart(made.path("deploy/chart"), [
      { image },
      {
        image,
        smoke: { tolerance: 1e-5, limit: "p99<200ms" },
        rollout: { longestRequestSeconds: 12, exitTimeoutSeconds: 12 },
      },
    ]);
    const [usual, strict] = answers.map((answer) => rendered(answer).objects);
    const command = ["python3", "/smoke/smoke.py", "http://embed:8000"];
    expect(smokeCommand(usual)).toEqual([...command, "--timeout=30", "--wait=30", "--tolerance=0.001"]);
    expect(smokeCommand(strict)).toEqual([
      ...command,
      "--timeout=12",
      "--wait=30",
      "--tolerance=1e-05",
      "--limit=p99<200ms",
    ]);
    for (const name of ["smoke.py", "smoke.json"] as const)
      expect(smokeData(usual)[name]).toBe(readFileSync(made.path(`deploy/chart/files/${name}`), "utf8"));
    expect(usual?.["Pod/embed-smoke"]).toMatchObject({
      metadata: { annotations: { "helm.sh/hook": "test", "helm.sh/hook-weight": "0" } },
      spec: { volumes: [{ name: "smoke", configMap: { name: "embed-smoke" } }] },
    });
    // Helm creates the files before the pod that reads them.
    expect(usual?.["ConfigMap/embed-smoke"]).toMatchObject({
      metadata: { annotations: { "helm.sh/hook": "test", "helm.sh/hook-weight": "-1" } },
    });
  },
  downloads,
);

test(
  "any interval with two scrapes a minute is accepted",
  async () => {
    const made = await deployedProject();
    const answers = await renderChart(
      made.path("deploy/chart"),
      ["500ms", "15s", "30s", "30000ms"].map((interval) => ({
        image,
        monitoring: { scrape: "pod", interval },
      })),
    );
    for (const answer of answers) expect(rendered(answer).lint).toEqual([]);
  },
  downloads,
);

// Kubernetes cuts what is in front of a pod's last five characters to 58 characters.
const longName = "a".repeat(50);

test.each([
  ["a-b", "a-b-6bf9c7d5f4-x2k9z"],
  [longName, `${longName}-6bf9c7dx2k9z`],
])(
  "KEDA only counts the pods of the Deployment %s",
  async (name, pod) => {
    const made = await deployedProject();
    const [answer] = await renderChart(made.path("deploy/chart"), [
      { image, nameOverride: name, autoscaling: { kind: "keda", prometheus: "http://p:9090" } },
    ]);
    const query = JSON.stringify(rendered(answer).objects[`ScaledObject/${name}`]?.spec);
    const [, selected = ""] = /pod=~\\"(.*?)\\"/.exec(query) ?? [];
    const pods = new RegExp(`^(?:${selected.replaceAll("\\\\\\\\", "\\")})$`);
    const others = [
      `${name}-canary-6bf9c7d5f4-x2k9z`,
      `c-${name}-6bf9c7d5f4-x2k9z`,
      "axb-6bf9c7d5f4-x2k9z",
      `${name}-0`,
    ];
    expect([pod, ...others].filter((one) => pods.test(one))).toEqual([pod]);
  },
  downloads,
);

test(
  "nothing that selects servers selects the pod of helm test",
  async () => {
    const made = await deployedProject();
    const [answer] = await renderChart(made.path("deploy/chart"), [{ image }]);
    const { objects } = rendered(answer);
    const labels = Object.entries(labelsOf(objects["Pod/embed-smoke"]?.metadata));
    const selectors = [
      "Deployment/embed",
      "NetworkPolicy/embed",
      "PodDisruptionBudget/embed",
      "Service/embed",
      "Service/embed-servers",
    ].map((name) => selectorOf(objects[name]?.spec));
    for (const selector of selectors) {
      // A Deployment's selector cannot change, so nothing in it may depend on the build.
      expect(selector).toEqual({
        "app.kubernetes.io/name": "triton",
        "app.kubernetes.io/instance": "embed",
      });
      expect(labels).not.toEqual(expect.arrayContaining(Object.entries(selector)));
    }
  },
  downloads,
);

test(
  "a server does not start with the image of another build",
  async () => {
    const made = await deployedProject();
    const outside = { repository: "s3://models/embed/1" };
    const [answer, bucket] = await renderChart(made.path("deploy/chart"), [
      { image },
      { image, models: outside, networkPolicy: { egress: [{}] } },
    ]);
    const deployment = rendered(answer).objects["Deployment/embed"]?.spec as DeploymentSpec;
    const [first] = deployment.template.spec.initContainers ?? [];
    const run = async (manifest: string) => {
      const [program = "", ...args] = (first?.command ?? []).map((one) =>
        one.replace("/opt/manifest.json", manifest),
      );
      return runTool({ program, env: { PATH: process.env["PATH"] } }, args, made.root);
    };
    expect(await run("build/manifest.json")).toEqual({ ok: true, output: "" });
    const build = /"(.*)"/.exec(
      readFileSync(made.path("deploy/chart/Chart.yaml"), "utf8").split("appVersion")[1] ?? "",
    )?.[1];
    made.write("other.json", "{}");
    expect(await run("other.json")).toEqual({
      ok: false,
      output: `this chart is for the build ${build}, but the image contains 44136fa355b3: set image.digest\n`,
    });
    expect(await run("missing.json")).toEqual({
      ok: true,
      output: "not checked: this image does not say which build it contains\n",
    });
    const { spec } = rendered(bucket).objects["Deployment/embed"] ?? {};
    expect((spec as DeploymentSpec).template.spec.initContainers).toBeUndefined();
  },
  downloads,
);

test(
  "values of the user stay whole in the arguments: large numbers, and text that means something in YAML",
  async () => {
    const made = await deployedProject('{ platforms: ["kserve"] }');
    const millions = 1_000_000;
    const tracing = { url: "http://c:4318/v1 #a: b", rate: millions, service: "a: b #c" };
    const rollout = { slowestLoadSeconds: millions, startupFailures: millions };
    const open = { egress: [{}] };
    const answers = await renderChart(made.path("deploy/chart"), [
      { image, tracing, rollout, replicas: millions, kserve: { enabled: false }, networkPolicy: open },
      { image, tracing, rollout, autoscaling: { maxReplicas: millions } },
    ]);
    const [own, kserve] = answers.map((answer) => rendered(answer).objects);
    expect(own?.["Deployment/embed"]?.spec).toMatchObject({
      replicas: millions,
      template: {
        spec: {
          containers: [
            {
              args: expect.arrayContaining([
                "--trace-config=rate=1000000",
                "--trace-config=opentelemetry,url=http://c:4318/v1 #a: b",
                "--trace-config=opentelemetry,resource=service.name=a: b #c",
              ]),
              startupProbe: { failureThreshold: millions },
            },
          ],
        },
      },
    });
    expect(JSON.stringify([own, kserve])).not.toMatch(/\d[eE]\+\d/);
    expect(kserve?.["InferenceService/embed"]).toMatchObject({
      metadata: { annotations: { "serving.kserve.io/deploymentMode": "RawDeployment" } },
      spec: { predictor: { maxReplicas: millions } },
    });
  },
  downloads,
);

test(
  "the values of a profile without a GPU take back the GPU of values.yaml",
  async () => {
    const made = await builtProject();
    const source = readFileSync(made.path("pipeline.ts"), "utf8");
    const gpu =
      'dynamicBatching: { maxQueueDelay: "2ms" }, instanceGroup: [{ kind: "gpu" }], profiles: { cpu: { instanceGroup: [{ kind: "cpu" }] } },';
    made.write("pipeline.ts", source.replace(/dynamicBatching: .*/, gpu));
    made.write("pipeline.config.ts", "export default { profiles: { cpu: { cores: 6 } } };\n");
    for (const command of ["build", "deploy"])
      expect(await pipeline(made, [command])).toMatchObject({ code: 0 });
    const profile: object = parse(readFileSync(made.path("deploy/chart/values-cpu.yaml"), "utf8"));
    const answers = await renderChart(made.path("deploy/chart"), [{ image }, { image, ...profile }]);
    const [base, cpu] = answers.map((answer) => JSON.stringify(rendered(answer).objects["Deployment/embed"]));
    expect(base).toContain('"nvidia.com/gpu":1');
    expect(cpu).not.toContain("nvidia.com/gpu");
    expect(cpu).toContain('"cpu":"6"');
  },
  downloads,
);

type Objects = Readonly<Record<string, KubernetesObject>>;

const smokeCommand = (objects: Objects | undefined): readonly string[] | undefined => {
  type Spec = { readonly containers: readonly { readonly command: readonly string[] }[] } | undefined;
  const spec = objects?.["Pod/embed-smoke"]?.spec as Spec;
  return spec?.containers[0]?.command;
};

const smokeData = (objects: Objects | undefined) =>
  objects?.["ConfigMap/embed-smoke"]?.data as Readonly<Record<"smoke.py" | "smoke.json", string>>;

type Labels = Readonly<Record<string, string>>;

const labelsOf = (metadata: unknown): Labels => (metadata as { readonly labels: Labels }).labels;

const selectorOf = (spec: unknown): Labels => {
  type Selector = Labels & { readonly matchLabels?: Labels };
  const { selector, podSelector } = spec as { readonly selector: Selector; readonly podSelector?: Selector };
  const selected = podSelector ?? selector;
  return selected.matchLabels ?? selected;
};

const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
  "no digest": [{ image: { repository: "r" } }, /set image\.digest/],
  "no image": [{}, /set image\.repository/],
  "a tag in place of a digest": [{ image: { repository: "r:latest", digest: "latest" } }, /digest/],
  "a limit for another percentile": [{ image, smoke: { limit: "p98<1s" } }, /limit/],
  "a negative tolerance": [{ image, smoke: { tolerance: -1 } }, /tolerance/],
  "an unknown value": [{ image, rolout: {} }, /rolout/],
  "a misspelt key of the resources": [{ image, resources: { request: { cpu: "1" } } }, /request/],
  "a misspelt key of a variable": [{ image, server: { env: [{ nam: "A", value: "1" }] } }, /nam/],
  "a text for a number": [{ image, replicas: "3" }, /replicas/],
  "a profile that the build lacks": [{ image, server: { profile: "gup" } }, /profile/],
  "the build of an earlier release": [
    { image, build: "1".repeat(64) },
    /build is 111111111111, but this chart is for [\da-f]{12}: .*--reset-then-reuse-values/,
  ],
  "no room for a new server": [{ image, rollout: { maxSurge: 0 } }, /deploy\/no-room/],
  "a rollout that stops all servers": [
    { image, rollout: { maxUnavailable: 5, maxSurge: 0 } },
    /deploy\/unavailable-servers: rollout\.maxUnavailable is 5, but there may be only 2 servers: a rollout would stop all of them; set more servers, or rollout\.maxUnavailable to 0/,
  ],
  "a rollout that stops the only server": [
    { image, replicas: 1, rollout: { maxUnavailable: 1 } },
    /deploy\/unavailable-servers/,
  ],
  "a name with a dot": [{ image, nameOverride: "a.b" }, /Kubernetes refuses "a\.b".*set nameOverride/],
  "a name in upper case": [{ image, nameOverride: "Embed" }, /Kubernetes refuses "Embed"/],
  "a name that starts with a digit": [{ image, nameOverride: "1st" }, /Kubernetes refuses "1st"/],
  "connections that outlive the server": [
    { image, rollout: { grpcMaxConnectionAgeSeconds: 10 } },
    /deploy\/connection-age/,
  ],
  "a drain that is too short": [
    { image, rollout: { drainSeconds: 4, grpcMaxConnectionAgeSeconds: 1 } },
    /deploy\/short-drain: rollout\.drainSeconds is 4/,
  ],
  "requests that are cut off": [{ image, rollout: { exitTimeoutSeconds: 5 } }, /deploy\/short-exit-timeout/],
  "a kill before the end": [{ image, rollout: { graceSeconds: 70 } }, /deploy\/short-grace/],
  "more servers at least than at most": [
    { image, autoscaling: { kind: "hpa", minReplicas: 5, maxReplicas: 2 } },
    /autoscaling\.minReplicas is 5, but autoscaling\.maxReplicas is 2/,
  ],
  "a cache without a path": [{ image, volumes: { caches: [{ claim: "engines" }] } }, /path/],
  "two caches with the same path": [
    { image, volumes: { caches: [{ path: "/cache" }, { path: "/cache/", claim: "engines" }] } },
    /volumes\.caches: two volumes have the path \/cache/,
  ],
  "a cache in place of another volume": [
    { image, models: { claim: "models", claimFolder: "a" }, volumes: { caches: [{ path: "/models" }] } },
    /volumes\.caches: two volumes have the path \/models/,
  ],
  "models that the network policy keeps from the servers": [
    { image, models: { repository: "s3://models/embed" } },
    /networkPolicy\.egress is empty, so servers cannot reach s3:\/\/models\/embed: add this address and DNS/,
  ],
  "traces that the network policy keeps from their collector": [
    { image, tracing: { url: "http://c:4318/v1/traces" } },
    /servers cannot reach http:\/\/c:4318/,
  ],
  "a password in the address of models": [
    { image, models: { repository: "s3://https://user:secret@minio:9000/models" } },
    /models\.repository contains a user name or a password(?![^]*secret@)/,
  ],
  "a password in the address of traces": [
    { image, tracing: { url: "https://user:secret@c:4318/v1/traces" } },
    /tracing\.url contains a user name or a password/,
  ],
  "a password in the address of Prometheus": [
    { image, autoscaling: { kind: "keda", prometheus: "http://user:secret@p:9090" } },
    /autoscaling\.prometheus contains a user name or a password/,
  ],
  "fewer than two scrapes a minute": [
    { image, monitoring: { scrape: "pod", interval: "31s" } },
    /monitoring\.interval is 31s, but the rules and the autoscaler need two scrapes a minute: set it to 30s or less/,
  ],
  "one scrape a minute": [
    { image, monitoring: { scrape: "service", interval: "1m" } },
    /monitoring\.interval is 1m/,
  ],
  "restarts while models load": [
    { image, rollout: { slowestLoadSeconds: 2_000_000 } },
    /deploy\/short-startup: .* allows 300 s, but the models take up to 2000000 s to load/,
  ],
  "times of weeks": [
    { image, rollout: { exitTimeoutSeconds: 1_000_000, longestRequestSeconds: 3_000_000 } },
    /rollout\.exitTimeoutSeconds is 1000000, but requests take up to 3000000 s/,
  ],
  "millions of servers": [
    { image, autoscaling: { kind: "hpa", minReplicas: 2_000_000, maxReplicas: 1_000_000 } },
    /autoscaling\.minReplicas is 2000000, but autoscaling\.maxReplicas is 1000000/,
  ],
};

test(
  "a project without room for another server may stop the only one",
  async () => {
    const made = await deployedProject("{ replicas: 1, rollout: { maxUnavailable: 1, maxSurge: 0 } }");
    const [alone, many] = await renderChart(made.path("deploy/chart"), [
      { image },
      { image, replicas: 2, rollout: { maxUnavailable: 2 } },
    ]);
    expect(rendered(alone).lint).toEqual([]);
    expect(many?.error ?? JSON.stringify(many)).toContain("deploy/unavailable-servers");
  },
  downloads,
);

test(
  "unknown values, and values that would lose requests, are refused",
  async () => {
    const made = await deployedProject();
    const answers = await renderChart(
      made.path("deploy/chart"),
      Object.values(refused).map(([values]) => values),
    );
    for (const [index, [name, [, message]]] of Object.entries(refused).entries()) {
      const answer = answers[index];
      expect(answer?.error ?? answer?.lint.join("\n"), name).toMatch(message);
    }
  },
  downloads,
);
