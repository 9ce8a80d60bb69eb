import { availableParallelism, cpus, loadavg, platform, arch, totalmem } from "node:os";
import type { BenchResult } from "./bench-result.ts";

/** The machine that measurements run on. */
export const machine = (): BenchResult["machine"] => ({
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
});
