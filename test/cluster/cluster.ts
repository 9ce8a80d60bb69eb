import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inject, onTestFinished } from "vitest";
import { kubectlOf } from "./start-cluster.ts";
import { type Machine, machineOf, sharedFolder } from "./start-machine.ts";

const bin = fileURLToPath(new URL("../../packages/tritype/bin/pipeline.js", import.meta.url));
const loadScript = fileURLToPath(new URL("load.mjs", import.meta.url));

/** The machine of the cluster that the setup has started. */
export const machine = (): Machine => machineOf(inject("machine"));

/** Runs kubectl as the cluster's administrator. */
export const kubectl = (...args: readonly string[]): Promise<string> => kubectlOf(machine(), ...args);

/** Runs Helm as a user would. */
export const helm = (...args: readonly string[]): Promise<string> =>
  machine().run("helm", "--kubeconfig=/mnt/files/admin.conf", ...args);

/** Applies objects. */
export const apply = async (...objects: readonly object[]): Promise<void> => {
  const file = await machine().write(
    "objects.json",
    JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }),
  );
  await kubectl("apply", "--filename", file);
};

/** A namespace that only admits pods of the Pod Security Standard "restricted". */
export const restrictedNamespace = async (name: string): Promise<void> =>
  await apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: {
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
      },
    },
  });

/** Copies a folder to where the cluster's programs can see it, and returns its path there. */
export const shared = (folder: string, name: string): string => {
  const target = join(sharedFolder(), name);
  rmSync(target, { recursive: true, force: true });
  cpSync(folder, target, { recursive: true });
  return `/mnt/files/${name}`;
};

/** Writes values as a user's own file, and returns its path for Helm. */
export const valuesFile = (name: string, values: object): Promise<string> =>
  machine().write(name, JSON.stringify(values));

/** Runs a `pipeline` process in the cluster's network. Resolves to its output, or rejects with that if it fails. */
export const pipelineInCluster = (root: string, ...args: readonly string[]): Promise<string> =>
  inNetwork(root, [bin, ...args]).output;

/** Results of the load, by client. */
export interface LoadResult {
  readonly answered: number;
  /** One text for each failed request, or for each kind of failure. */
  readonly failures: readonly string[];
  readonly failed: number;
  /** For typed clients only: how many answers have a vector with this norm. */
  readonly lengths?: Readonly<Record<string, number>>;
}

export type ClientKind = "plainGrpc" | "plainHttp" | "typedGrpc" | "typedHttp";

/** Clients that send requests. */
export interface RunningLoad<Kind extends ClientKind> {
  /** How many requests each kind of client has sent. */
  readonly sent: () => Promise<Readonly<Record<Kind, number>>>;
  /** Waits for the last answers, and returns all results. */
  readonly stop: () => Promise<Readonly<Record<Kind, LoadResult>>>;
}

export const threeOfEach: Readonly<Record<ClientKind, number>> = {
  plainGrpc: 3,
  plainHttp: 3,
  typedGrpc: 3,
  typedHttp: 3,
};

/**
 * Starts clients in the cluster's network: typed ones of the build and plain ones, each over HTTP and gRPC.
 * @param client The build's client
 * @param clients Numbers of clients
 * @param pauseMs How long a typed client waits after each answer. Default: not at all
 */
export const startLoad = <Kind extends ClientKind>(
  client: string,
  address: string,
  clients: Readonly<Record<Kind, number>>,
  pauseMs = 0,
): RunningLoad<Kind> => {
  const { child, output } = inNetwork(process.cwd(), [
    loadScript,
    address,
    client,
    JSON.stringify({ clients, pauseMs }),
  ]);
  const lines = createInterface(child.stdout);
  /** The process answers a line of its input, and its end, with a line. */
  const answer = async <T>(ask: () => void): Promise<T> => {
    const line = once(lines, "line");
    ask();
    const [text] = (await Promise.race([line, output.then(() => line)])) as [string];
    return JSON.parse(text) as T;
  };
  return {
    sent: () => answer(() => child.stdin.write("\n")),
    stop: () => answer(() => child.stdin.end()),
  };
};

const inNetwork = (cwd: string, argv: readonly string[]) => {
  const child = spawn("nsenter", [`--net=/proc/${machine().pid}/ns/net`, process.execPath, ...argv], {
    cwd,
    env: { ...process.env, NO_COLOR: "1" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const output = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${argv.join(" ")} ended with ${code}:\n${out}${err}`)),
    );
  });
  output.catch(() => undefined);
  return { child, output };
};

/** Asks every half second until the answer fits, for at most `minutes`. Returns the answer. */
export const eventually = async <T>(
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
  minutes = 3,
): Promise<T> => {
  for (const end = performance.now() + minutes * 60_000; ; ) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (performance.now() > end) throw new Error(`it stays at ${JSON.stringify(answer)}`);
    await sleep(500);
  }
};

/** A copy of the sentence-embedding example in the workspace, where `tritype` resolves. */
export const exampleProject = (): { readonly root: string; readonly remove: () => void } => {
  const parent = fileURLToPath(new URL("../.projects/", import.meta.url));
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(parent);
  const example = fileURLToPath(new URL("../../examples/sentence-embedding", import.meta.url));
  for (const name of ["assets", "models", "package.json", "pipeline.ts", "tensorrt.ts"])
    cpSync(join(example, name), join(root, name), { recursive: true });
  writeFileSync(
    join(root, "pipeline.config.ts"),
    `import { defineConfig } from "tritype";

export default defineConfig({
  target: "24.10",
  profiles: { gpu: {}, cpu: { instanceGroup: [{ kind: "cpu", count: 1 }] } },
});
`,
  );
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
};
