import { beforeAll, expect, test } from "vitest";
import { deployedProject } from "../deploy/deployed-project.ts";
import { image } from "../deploy/tools.ts";
import { apply, eventually, helm, kubectl, restrictedNamespace, shared, valuesFile } from "./cluster.ts";

const minutes = 60_000;
const namespace = "gpus";
const inNamespace = `--namespace=${namespace}`;
const nodes = ["gpu-1", "gpu-2", "gpu-3"];

/** A fake node of kwok, which only reports its pods as running. It has two GPUs and the taint of GPU nodes. */
const gpuNode = (name: string): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    annotations: { "kwok.x-k8s.io/node": "fake" },
    labels: { "kubernetes.io/hostname": name, accelerator: "nvidia" },
  },
  spec: { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] },
  status: Object.fromEntries(
    ["capacity", "allocatable"].map((part) => [
      part,
      { cpu: "16", memory: "128Gi", pods: "110", "nvidia.com/gpu": "2" },
    ]),
  ),
});

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

const allPods = async (): Promise<readonly Pod[]> => {
  const list = await kubectl("get", "pods", inNamespace, "--output=json");
  return (JSON.parse(list) as { readonly items: readonly Pod[] }).items;
};

const pods = async (): Promise<readonly Pod[]> =>
  (await allPods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;

const readyPods = async (): Promise<number> => (await pods()).filter(isReady).length;

beforeAll(async () => {
  await restrictedNamespace(namespace);
  await apply(...nodes.map(gpuNode));
  await eventually(
    () => kubectl("get", "nodes", "--selector=accelerator=nvidia", "--no-headers"),
    (lines) => (lines.match(/ Ready /g) ?? []).length === nodes.length,
  );
}, 5 * minutes);

test(
  "servers of the profile for GPUs run where GPUs are free, one too many waits, and a drain respects the budget",
  async () => {
    const made = await deployedProject();
    const chart = shared(made.path("deploy/chart"), "chart-gpu");
    const mine = await valuesFile("gpus.json", {
      image,
      nodeSelector: { accelerator: "nvidia" },
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    });
    const upgrade = (replicas: number): Promise<string> =>
      helm(
        "upgrade",
        "--install",
        "embed",
        chart,
        inNamespace,
        `--values=${chart}/values-gpu.yaml`,
        `--values=${mine}`,
        `--set=replicas=${replicas}`,
      );

    await upgrade(6);
    await eventually(readyPods, (ready) => ready === 6);
    const placed = (await pods()).map(({ spec }) => spec.nodeName ?? "nowhere").toSorted();
    expect(placed).toEqual(nodes.flatMap((name) => [name, name]));

    await upgrade(7);
    const waiting = await eventually(
      async () => (await pods()).filter(({ status }) => status.phase === "Pending"),
      (pending) => pending.length === 1 && pending[0]?.status.conditions !== undefined,
    );
    expect(JSON.stringify(waiting[0]?.status.conditions)).toContain("Insufficient nvidia.com/gpu");
    expect(await readyPods()).toBe(6);

    // One of seven servers is missing already, so the budget allows no eviction.
    const drain = (name: string, timeout: string): Promise<string> =>
      kubectl("drain", name, "--ignore-daemonsets", "--delete-emptydir-data", `--timeout=${timeout}`);
    await expect(drain("gpu-1", "8s")).rejects.toThrow(/violate the pod's disruption budget/);
    expect(await readyPods()).toBe(6);
    await kubectl("uncordon", "gpu-1");

    await upgrade(4);
    // Pods keep their GPUs until they have ended, which takes their grace period here.
    await eventually(allPods, (all) => all.length === 4 && all.every(isReady));
    let least = 4;
    const drained = drain("gpu-1", "300s").then(() => true);
    for (let over = false; !over; ) {
      const now = await Promise.race([drained, readyPods()]);
      if (now === true) over = true;
      else if (typeof now === "number") least = Math.min(least, now);
    }
    expect(least).toBeGreaterThanOrEqual(3);
    await eventually(readyPods, (ready) => ready === 4);
    expect((await pods()).map(({ spec }) => spec.nodeName)).not.toContain("gpu-1");
    await helm("uninstall", "embed", inNamespace);
  },
  10 * minutes,
);
