import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { prometheus } from "../deploy/tools.ts";
import { goProgram } from "../environment/go-module.ts";
import { apply, kubectl, machine } from "./cluster.ts";
import { programImage } from "./images.ts";
import { sharedFolder } from "./start-machine.ts";

/** Whose pods may scrape metrics, by the chart's own values. */
const namespace = "monitoring";
const adapter = "prometheus-adapter";
const metricsApi = "v1beta1.custom.metrics.k8s.io";
const settings = "monitoring-settings";
const folder = (): string => join(sharedFolder(), settings);

/** A pod whose address Prometheus gets. */
export interface ScrapedPod {
  readonly namespace: string;
  readonly name: string;
  readonly address: string;
}

/**
 * Starts Debian's Prometheus with the emitted rules, and prometheus-adapter with the emitted values.
 * @param observability The emitted folder
 */
export const startMonitoring = async (observability: string): Promise<void> => {
  const digest = await programImage(machine(), namespace, {
    prometheus: (await prometheus()).program,
    [adapter]: await goProgram("sigs.k8s.io/prometheus-adapter", "v0.12.0", "cmd/adapter"),
  });
  mkdirSync(folder());
  copyFileSync(join(observability, "rules.yaml"), join(folder(), "rules.yaml"));
  write("prometheus.json", {
    // The intervals of kube-prometheus-stack, and of the chart's PodMonitor.
    global: { evaluation_interval: "30s", scrape_interval: "15s" },
    rule_files: ["/settings/rules.yaml"],
    scrape_configs: [
      {
        job_name: "triton",
        file_sd_configs: [{ files: ["/settings/pods.json"], refresh_interval: "5s" }],
      },
    ],
  });
  const values = readFileSync(join(observability, "prometheus-adapter.yaml"), "utf8");
  const { rules } = parse(values) as { readonly rules: { readonly custom: readonly object[] } };
  // The adapter's chart puts its values there.
  write("adapter.json", { rules: rules.custom });
  setScrapedPods([]);
  await apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...permissions,
    ...program(digest, 9090, 9090, "prometheus", [
      "--config.file=/settings/prometheus.json",
      "--storage.tsdb.path=/data",
    ]),
    ...program(digest, 443, 6443, adapter, [
      "--config=/settings/adapter.json",
      "--prometheus-url=http://prometheus.monitoring.svc:9090",
      "--metrics-relist-interval=1m",
      "--secure-port=6443",
      "--cert-dir=/data",
    ]),
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: metricsApi },
      spec: {
        group: "custom.metrics.k8s.io",
        version: "v1beta1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: adapter, namespace },
      },
    },
  );
};

/** Removes both. Without its server, the API of metrics would slow down later tests. */
export const stopMonitoring = async (): Promise<void> => {
  await kubectl("delete", "apiservice", metricsApi);
  await kubectl("delete", "namespace", namespace);
};

/** Takes the place of Kubernetes' service discovery, which Debian's Prometheus lacks: pods get the labels that a PodMonitor gives them. */
export const setScrapedPods = (pods: readonly ScrapedPod[]): void =>
  write(
    "pods.json",
    pods.map(({ namespace: where, name, address }) => ({
      targets: [`${address}:8002`],
      labels: { namespace: where, pod: name },
    })),
  );

const write = (name: string, content: object): void =>
  writeFileSync(join(folder(), name), JSON.stringify(content));

/** The pod and the service of a program. */
const program = (
  digest: string,
  port: number,
  targetPort: number,
  name: string,
  args: readonly string[],
): readonly object[] => [
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      serviceAccountName: adapter,
      containers: [
        {
          name,
          image: `registry.example/${namespace}@${digest}`,
          command: [name, ...args],
          readinessProbe: { tcpSocket: { port: targetPort }, periodSeconds: 2 },
          volumeMounts: [
            { name: "settings", mountPath: "/settings", readOnly: true },
            { name: "data", mountPath: "/data" },
          ],
        },
      ],
      volumes: [
        { name: "settings", hostPath: { path: `/mnt/files/${settings}` } },
        { name: "data", emptyDir: {} },
      ],
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ port, targetPort }] },
  },
];

/** The permissions that the adapter's chart grants to the adapter. */
const permissions: readonly object[] = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: adapter, namespace } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: adapter },
    rules: [
      {
        apiGroups: [""],
        resources: ["configmaps", "namespaces", "nodes", "pods", "services"],
        verbs: ["get", "list", "watch"],
      },
    ],
  },
  ...[
    { kind: "ClusterRoleBinding", where: {}, role: { kind: "ClusterRole", name: adapter } },
    { kind: "ClusterRoleBinding", where: {}, role: { kind: "ClusterRole", name: "system:auth-delegator" } },
    {
      kind: "RoleBinding",
      where: { namespace: "kube-system" },
      role: { kind: "Role", name: "extension-apiserver-authentication-reader" },
    },
  ].map(({ kind, where, role }) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: { name: `${adapter}-${role.name.replace(":", "-")}`, ...where },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", ...role },
    subjects: [{ kind: "ServiceAccount", name: adapter, namespace }],
  })),
];
