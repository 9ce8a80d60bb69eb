import { counted } from "@tritype/core";
import { activeInstances, meantParameter } from "@tritype/triton";
import { parameterOf } from "../onnx-rules/backends/session-parameters.ts";
import type { ModelContext } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

/** Triton's default for ONNX models on CPUs: one instance computes while the other reads and writes tensors. */
const overlapping = 2;

const threadCount = "intra_op_thread_count";

/** Number of CPU instances of an ONNX model, and threads per instance (undefined for one per processor). */
const cpuInstances = (model: ModelContext) => {
  const { config, written } = model;
  const { instance_group: groups = [] } = written;
  const threads = Number(parameterOf(model, threadCount) ?? 0);
  const instances = activeInstances({ instance_group: groups });
  // A KIND_AUTO group runs on GPUs if the server has any.
  const onCpu = instances.filter(({ group: { kind } }) => kind === "KIND_CPU");
  return {
    count: config.backend === "onnxruntime" ? onCpu.length : 0,
    threads: threads > 0 ? threads : undefined,
    groups: [...new Set(onCpu.map(({ index }) => index))],
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
    const { count, threads, groups } = cpuInstances(model);
    if (threads !== undefined || count <= overlapping || misspells(model)) return;
    const places = groups.map((group) => model.at(["instance_group", group, "count"], "instances"));
    const written = parameterOf(model, threadCount);
    if (written === undefined) return report(places, { count });
    report([...places, model.at(["parameters", threadCount], "all processors")], {
      count,
      help: `\`${threadCount}\` is ${written || "empty"}, which means all processors: raise it, so that instances times threads equal the server's processors. Or remove \`instance_group\``,
    });
  },
);

/** Whether the number of threads is set under a wrong name, which is reported there. */
const misspells = ({ config: { parameters = {} }, options }: ModelContext): boolean =>
  Object.keys(parameters).some(
    (name) => meantParameter("onnxruntime", name, options.release.container) === threadCount,
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
    const { count, threads, groups } = cpuInstances(model);
    if (cores === undefined || threads === undefined || count * threads <= cores) return;
    report(
      [
        ...groups.map((group) => model.at(["instance_group", group, "count"], "instances")),
        model.at(["parameters", threadCount], "threads of each"),
      ],
      { count, threads, cores: counted(cores, "processor") },
    );
  },
);

export const crowdedInstances: readonly Rule[] = [allThreads, tooManyThreads];
