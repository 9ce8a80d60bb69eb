import type { TestProject } from "vitest/node";
import { goPrograms } from "./go-programs.ts";
import { nodeRoot } from "./debian-root.ts";
import { serverBase } from "./server-base.ts";
import { startCluster } from "./start-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The id of the first process on the machine that runs the cluster. */
    machine: number;
  }
}

/** Starts one Kubernetes for all test files of the project. */
export const setup = async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new Error(
      "test:cluster starts containers in namespaces of its own: run it as root, on Linux with apt-get (Debian or Ubuntu)",
    );
  const start = performance.now();
  const notice = (line: string): void =>
    console.log(`cluster, ${Math.round((performance.now() - start) / 1000)} s: ${line}`);
  const parts = {
    serverBase: await serverBase(notice),
    root: await nodeRoot(notice),
    programs: await goPrograms(notice),
  };
  const cluster = await startCluster(parts, notice);
  provide("machine", cluster.machine.pid);
  return async () => {
    await cluster.stop();
    notice("everything is removed");
  };
};
