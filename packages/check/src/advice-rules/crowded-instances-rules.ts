import { counted } from "@tritype/core";
import { parameterOf } from "../onnx-rules/backends/session-parameters.ts";
import type { ModelContext } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

/** Triton's default for ONNX models on CPUs: one instance computes while the other reads and writes tensors. */
const overlapping = 2;

/** Number of CPU instances of an ONNX model, and threads per instance (undefined for one per processor). */
const instancesOf = (model: ModelContext) => {
  const { config, written } = model;
  const { instance_group: groups = [] } = written;
  const threads = Number(parameterOf(model, "intra_op_thread_count") ?? 0);
  // A KIND_AUTO group runs on GPUs if the server has any.
  const counts = groups.map(({ kind, count = 1 }) => (kind === "KIND_CPU" ? count : 0));
  return {
    count: config.backend === "onnxruntime" ? counts.reduce((sum, count) => sum + count, 0) : 0,
    threads: threads > 0 ? threads : undefined,
    groups: counts.flatMap((count, group) => (count > 0 ? [group] : [])),
  };
};

const allThreads: Rule = modelRule(
  {
    code: "instance/all-threads",
    message:
      "`{model}` has {count} instances on CPUs, and each starts as many threads as the server has processors",
    help: "set the parameter `intra_op_thread_count`: instances times threads should equal the server's processors. Or remove `instance_group`",
    reason:
      "ONNX Runtime gives each instance a thread for every processor. With two instances, one can compute while the other reads and writes tensors; additional instances only compete for the processors. Each instance keeps a copy of the model.",
  },
  (model, report) => {
    const { count, threads, groups } = instancesOf(model);
    if (threads !== undefined || count <= overlapping) return;
    report(
      groups.map((group) => model.at(["instance_group", group, "count"], "instances")),
      { count },
    );
  },
);

const tooManyThreads: Rule = modelRule(
  {
    code: "instance/too-many-threads",
    message:
      "`{model}` has {count} × {threads} threads on CPUs (instances × threads), but the server has {cores}",
    help: "lower `count` or `intra_op_thread_count`: instances times threads should equal the server's processors",
    reason:
      "If there are more threads than processors, the threads wait for each other in every request. The number of processors comes from the profile: `cores` in `pipeline.config.ts`.",
  },
  (model, report) => {
    const { cores } = model.options;
    const { count, threads, groups } = instancesOf(model);
    if (cores === undefined || threads === undefined || count * threads <= cores) return;
    report(
      [
        ...groups.map((group) => model.at(["instance_group", group, "count"], "instances")),
        model.at(["parameters", "intra_op_thread_count"], "threads of each"),
      ],
      { count, threads, cores: counted(cores, "processor") },
    );
  },
);

export const crowdedInstances: readonly Rule[] = [allThreads, tooManyThreads];
