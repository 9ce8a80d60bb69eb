import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import {
  apply,
  eventually,
  exampleProject,
  helm,
  kubectl,
  machine,
  pipelineInCluster,
  restrictedNamespace,
  shared,
  startLoad,
  valuesFile,
} from "./cluster.ts";
import { buildImage } from "./images.ts";
import { printLoad } from "./print-load.ts";

const minutes = 60_000;
const project = exampleProject();
const namespace = "vectors";
const repository = "registry.example/embed";
const inNamespace = `--namespace=${namespace}`;

/** A build, its image and its chart. */
interface Release {
  readonly digest: string;
  /** The path of the chart in the cluster's machine. */
  readonly chart: string;
}

let first: Release;
let second: Release;
let broken: Release;
let address: string;

beforeAll(async () => {
  first = await buildRelease("first");
  // The same contract, but the vectors have twice the norm.
  const file = join(project.root, "pipeline.ts");
  const source = readFileSync(file, "utf8");
  const changed = source.replace(/l2Normalize\((.*)\) };/, "l2Normalize($1).mul(2) };");
  expect(changed).not.toBe(source);
  writeFileSync(file, changed);
  second = await buildRelease("second");
  broken = await buildRelease("broken", (build) =>
    truncateSync(join(build, "model_repository/encoder/1/model.onnx"), 1000),
  );
  await restrictedNamespace(namespace);
}, 10 * minutes);

afterAll(project.remove);

/** What a user does for a new build, with podman in place of docker. */
const buildRelease = async (
  name: string,
  damage: (build: string) => void = () => undefined,
): Promise<Release> => {
  for (const command of ["build", "deploy"]) {
    const ended = await pipeline(project, [command]);
    expect(ended, ended.err).toMatchObject({ code: 0 });
  }
  damage(join(project.root, "build"));
  const digest = await buildImage(machine(), join(project.root, "build"), "embed", name);
  return { digest, chart: shared(join(project.root, "deploy/chart"), `chart-${name}`) };
};

/** `helm upgrade --install`, with fewer processors than the chart asks for, because this node has few. */
const upgrade = async ({ chart, digest }: Release, ...options: readonly string[]): Promise<string> => {
  const mine = await valuesFile("mine.json", { resources: { requests: { cpu: "100m" } } });
  return await helm(
    "upgrade",
    "--install",
    "embed",
    chart,
    inNamespace,
    `--set=image.repository=${repository}`,
    `--set=image.digest=${digest}`,
    `--values=${mine}`,
    ...options,
  );
};

/** The digests of the images of the pods that serve. */
const servedDigests = async (): Promise<readonly string[]> => {
  const path = "{range .items[*]}{.spec.containers[0].image}{'\\n'}{end}";
  const selector = "--selector=app.kubernetes.io/component=inference-server";
  const images = await kubectl("get", "pods", inNamespace, selector, `--output=jsonpath=${path}`);
  return images
    .split("\n")
    .filter((line) => line !== "")
    .map((image) => image.replace(/.*@/, ""));
};

test(
  "helm installs the emitted chart in a restricted namespace, its test passes, and the answers are those of the build",
  async () => {
    const started = performance.now();
    const output = await upgrade(first, "--wait", "--timeout=5m");
    console.log(`helm upgrade --install --wait: ${Math.round((performance.now() - started) / 1000)} s`);
    expect(output).not.toMatch(/warning/i);
    expect(await servedDigests()).toEqual([first.digest, first.digest]);
    address = await kubectl("get", "service", "embed", inNamespace, "--output=jsonpath={.spec.clusterIP}");
    expect(await helm("test", "embed", inNamespace, "--timeout=2m")).toMatch(/Phase:\s+Succeeded/);
    // The build folder has the second build by now, so its answers differ.
    await expect(pipelineInCluster(project.root, "smoke", "--url", `http://${address}:8000`)).rejects.toThrow(
      /answers/,
    );
  },
  8 * minutes,
);

test(
  "the network policy lets pods of the namespace in, and no others",
  async () => {
    await restrictedNamespace("elsewhere");
    const url = `http://embed.${namespace}.svc.cluster.local:8000/v2/health/ready`;
    await apply(...[namespace, "elsewhere"].map((where) => caller(where, url)));
    const phaseIn = (where: string): Promise<string> =>
      eventually(
        () => kubectl("get", "pod", "caller", `--namespace=${where}`, "--output=jsonpath={.status.phase}"),
        (phase) => phase === "Succeeded" || phase === "Failed",
      );
    expect(await phaseIn(namespace)).toBe("Succeeded");
    expect(await phaseIn("elsewhere")).toBe("Failed");
    const log = await kubectl("logs", "caller", "--namespace=elsewhere");
    // The caller resolves the name, but gets no connection.
    expect(log).toMatch(/Connection timed out|Connection refused|Failed to connect/);
    expect(log).not.toMatch(/resolve/);
  },
  5 * minutes,
);

const caller = (where: string, url: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "caller", namespace: where },
  spec: {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "curl",
        image: `${repository}@${first.digest}`,
        // Network policies learn of a new pod after it has started.
        command: "curl --fail --silent --show-error --connect-timeout 3 --retry 5 --retry-connrefused"
          .split(" ")
          .concat(url),
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  },
});

test(
  "a new build replaces the old one under load through the service, and only plain HTTP clients can lose a request",
  async () => {
    const stop = startLoad(join(project.root, "build/client/embed.js"), address);
    await sleep(5000);
    const started = performance.now();
    await upgrade(second, "--wait", "--timeout=5m");
    console.log(`helm upgrade --wait: ${Math.round((performance.now() - started) / 1000)} s`);
    // Helm does not wait until the old servers have stopped.
    await eventually(servedDigests, (digests) => digests.join() === [second.digest, second.digest].join());
    console.log(`the old servers have stopped after ${Math.round((performance.now() - started) / 1000)} s`);
    await sleep(5000);
    const results = await stop();
    printLoad("rollout", results);
    for (const client of ["typedHttp", "typedGrpc", "plainGrpc"] as const) {
      expect(results[client].failures, client).toEqual([]);
      expect(results[client].answered, client).toBeGreaterThan(100);
    }
    for (const client of ["typedHttp", "typedGrpc"] as const)
      expect(Object.keys(results[client].lengths ?? {}).toSorted()).toEqual(["1.0", "2.0"]);
    // At most one failure for each of the three connections, which Triton does not ask clients to close.
    expect(results.plainHttp.failed).toBeLessThanOrEqual(3);
    expect(await helm("test", "embed", inNamespace, "--timeout=2m")).toMatch(/Phase:\s+Succeeded/);
    const smoke = await pipelineInCluster(project.root, "smoke", "--url", `http://${address}:8000`);
    expect(smoke).toMatch(/embed/);
  },
  10 * minutes,
);

test(
  "a broken build is rolled back under load without a failed request",
  async () => {
    const stop = startLoad(join(project.root, "build/client/embed.js"), address);
    await sleep(5000);
    const started = performance.now();
    await expect(upgrade(broken, "--atomic", "--timeout=40s")).rejects.toThrow(
      /rolled back|deadline exceeded/,
    );
    console.log(`helm upgrade --atomic: ${Math.round((performance.now() - started) / 1000)} s`);
    await eventually(servedDigests, (digests) => digests.join() === [second.digest, second.digest].join());
    await sleep(5000);
    const results = await stop();
    printLoad("rollback", results);
    for (const [client, { failures, answered }] of Object.entries(results)) {
      expect(failures, client).toEqual([]);
      expect(answered, client).toBeGreaterThan(100);
    }
    for (const client of ["typedHttp", "typedGrpc"] as const)
      expect(Object.keys(results[client].lengths ?? {})).toEqual(["2.0"]);
    expect(await helm("history", "embed", inNamespace)).toMatch(/failed[\s\S]*Rollback to 2/);
  },
  10 * minutes,
);
