import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  apply,
  eventually,
  exampleProject,
  helm,
  kubectl,
  pipelineInCluster,
  restrictedNamespace,
  startLoad,
  threeOfEach,
} from "./cluster.ts";
import { printLoad } from "./print-load.ts";
import { buildRelease, type Release, serviceAddress, upgrade as upgradeRelease } from "./release.ts";

const minutes = 60_000;
const project = exampleProject();
const namespace = "vectors";
const replicas = 3;
const inNamespace = `--namespace=${namespace}`;
const servers = "--selector=app.kubernetes.io/component=inference-server";

let first: Release;
let second: Release;
let broken: Release;
let address: string;

beforeAll(async () => {
  first = await buildRelease(project, "first");
  // The same contract, but the vectors have twice the norm.
  const file = join(project.root, "pipeline.ts");
  const source = readFileSync(file, "utf8");
  const changed = source.replace(/l2Normalize\((.*)\) };/, "l2Normalize($1).mul(2) };");
  expect(changed).not.toBe(source);
  writeFileSync(file, changed);
  second = await buildRelease(project, "second");
  broken = await buildRelease(project, "broken", (build) =>
    truncateSync(join(build, "model_repository/encoder/1/model.onnx"), 1000),
  );
  await restrictedNamespace(namespace);
}, 10 * minutes);

afterAll(project.remove);

/** Installs three servers, with fewer processors than the chart asks for, because this node has few. */
const upgrade = (release: Release, ...options: readonly string[]): Promise<string> =>
  upgradeRelease(release, namespace, { replicas, resources: { requests: { cpu: "100m" } } }, ...options);

/** The digests of the images of the pods that serve. */
const servedDigests = async (): Promise<readonly string[]> => {
  const path = "{range .items[*]}{.spec.containers[0].image}{'\\n'}{end}";
  const images = await kubectl("get", "pods", inNamespace, servers, `--output=jsonpath=${path}`);
  return images
    .split("\n")
    .filter((line) => line !== "")
    .map((image) => image.replace(/.*@/, ""));
};

/** What `servedDigests` returns when only this release is served. */
const digestsOf = ({ digest }: Release): readonly string[] => Array<string>(replicas).fill(digest);

const onlyServed = (release: Release): Promise<unknown> =>
  eventually(servedDigests, (digests) => digests.join() === digestsOf(release).join());

test(
  "helm installs the emitted chart in a restricted namespace, its test passes, and the answers are those of the build",
  async () => {
    const started = performance.now();
    const output = await upgrade(first, "--wait", "--timeout=5m");
    console.log(`helm upgrade --install --wait: ${Math.round((performance.now() - started) / 1000)} s`);
    expect(output).not.toMatch(/warning/i);
    expect(await servedDigests()).toEqual(digestsOf(first));
    address = await serviceAddress(namespace);
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
        image: first.image,
        // Network policies learn of a new pod after it has started.
        command: "curl --fail --silent --show-error --connect-timeout 3 --retry 5 --retry-connrefused"
          .split(" ")
          .concat(url),
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  },
});

const losesNothing = ["typedHttp", "typedGrpc", "plainGrpc"] as const;

test(
  "a new build replaces three servers under load through the service, and only plain HTTP clients can lose a request",
  async () => {
    const load = startLoad(join(project.root, "build/client/embed.js"), address, threeOfEach);
    await sleep(5000);
    const sentBefore = await load.sent();
    /** The fewest requests that a client which must lose none has sent during the rollouts. */
    const fewestSent = async (): Promise<number> => {
      const sent = await load.sent();
      return Math.min(...losesNothing.map((client) => sent[client] - sentBefore[client]));
    };
    let rollouts = 0;
    // If this machine is so busy that the clients send less than this in one rollout, the builds replace each other again.
    do {
      for (const release of rollouts === 0 ? [second] : [first, second]) {
        const started = performance.now();
        await upgrade(release, "--wait", "--timeout=5m");
        console.log(`helm upgrade --wait: ${Math.round((performance.now() - started) / 1000)} s`);
        // Helm does not wait until the old servers have stopped.
        await onlyServed(release);
        console.log(
          `the old servers have stopped after ${Math.round((performance.now() - started) / 1000)} s`,
        );
        rollouts++;
      }
    } while ((await fewestSent()) < 5000);
    console.log(`${rollouts} rollouts; each client has sent at least ${await fewestSent()} requests`);
    await sleep(5000);
    const results = await load.stop();
    printLoad("rollout", results);
    for (const client of losesNothing) expect(results[client].failures, client).toEqual([]);
    for (const client of ["typedHttp", "typedGrpc"] as const)
      expect(Object.keys(results[client].lengths ?? {}).toSorted()).toEqual(["1.0", "2.0"]);
    // At most one failure for each of the connections, which Triton does not ask clients to close.
    expect(results.plainHttp.failed).toBeLessThanOrEqual(threeOfEach.plainHttp * rollouts);
    expect(await helm("test", "embed", inNamespace, "--timeout=2m")).toMatch(/Phase:\s+Succeeded/);
    const smoke = await pipelineInCluster(project.root, "smoke", "--url", `http://${address}:8000`);
    expect(smoke).toMatch(/embed/);
  },
  25 * minutes,
);

/** The number of the release's last revision. */
const revision = async (): Promise<number> => {
  const status = await helm("status", "embed", inNamespace, "--output=json");
  return (JSON.parse(status) as { readonly version: number }).version;
};

test(
  "an upgrade with the image of another build stops before any server of that build starts; where it is served, helm test fails",
  async () => {
    const before = await revision();
    const mixed = { ...first, chart: second.chart };
    await expect(upgrade(mixed, "--wait", "--timeout=20s")).rejects.toThrow(/deadline exceeded|timed out/);
    const stopped = await kubectl("logs", inNamespace, servers, "--container=build");
    expect(stopped).toMatch(/this chart is for the build [\da-f]{12}, but the image contains [\da-f]{12}/);
    // Somebody changes the image by hand, past this check. Both builds have the same contract.
    await helm("rollback", "embed", String(before), inNamespace, "--wait");
    await kubectl("set", "image", "deployment/embed", inNamespace, `triton=${first.image}`);
    await onlyServed(first);
    await expect(helm("test", "embed", inNamespace, "--timeout=2m")).rejects.toThrow(/failed/);
    const smoke = await kubectl("logs", inNamespace, "--selector=app.kubernetes.io/component=smoke-test");
    expect(smoke).toMatch(/`embedding` differs/);
    await helm("rollback", "embed", String(before), inNamespace, "--wait");
    await onlyServed(second);
    expect(await helm("test", "embed", inNamespace, "--timeout=2m")).toMatch(/Phase:\s+Succeeded/);
  },
  10 * minutes,
);

test(
  "a broken build is rolled back under load without a failed request",
  async () => {
    const before = await revision();
    const load = startLoad(join(project.root, "build/client/embed.js"), address, threeOfEach);
    await sleep(5000);
    const started = performance.now();
    await expect(upgrade(broken, "--atomic", "--timeout=40s")).rejects.toThrow(
      /rolled back|deadline exceeded/,
    );
    console.log(`helm upgrade --atomic: ${Math.round((performance.now() - started) / 1000)} s`);
    await onlyServed(second);
    await sleep(5000);
    const results = await load.stop();
    printLoad("rollback", results);
    for (const [client, { failures, answered }] of Object.entries(results)) {
      expect(failures, client).toEqual([]);
      expect(answered, client).toBeGreaterThan(100);
    }
    for (const client of ["typedHttp", "typedGrpc"] as const)
      expect(Object.keys(results[client].lengths ?? {})).toEqual(["2.0"]);
    expect(await helm("history", "embed", inNamespace)).toMatch(
      new RegExp(String.raw`failed[\s\S]*Rollback to ${before}`),
    );
  },
  10 * minutes,
);
