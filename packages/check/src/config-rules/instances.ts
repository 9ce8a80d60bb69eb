import type { ModelInstanceGroup } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

interface Group {
  readonly group: ModelInstanceGroup;
  /** The kind as Triton resolves it; undefined if that depends on unknown GPUs. */
  readonly kind: ModelInstanceGroup["kind"] | undefined;
  readonly i: number;
  /** The name that the core gives to the group. */
  readonly name: string;
}

/** Empty for ensembles, because a separate rule refuses their instance groups. */
const groupsOf = ({ written, config, options }: ModelContext): readonly Group[] =>
  config.ensemble_scheduling
    ? []
    : (written.instance_group ?? []).map((group, i) => {
        const auto = (group.kind ?? "KIND_AUTO") === "KIND_AUTO";
        const known = !auto || options.gpus !== undefined;
        const { kind: resolved, name = "" } = config.instance_group?.[i] ?? {};
        return { group, kind: known ? resolved : undefined, i, name };
      });

const unknownKind = modelRule(
  {
    code: "instance/unknown-kind",
    triton: ["146"],
    atLoad: true,
    status: "Internal",
    reason:
      "Triton accepts any number for an enum, even one that matches no kind, and then fails because it cannot resolve the kind.",
    words: "instance group {group} of model {model} has unexpected kind",
    message: "kind {kind} of instance group {i} of `{model}` does not exist",
    help: "write KIND_CPU, KIND_GPU, KIND_MODEL or KIND_AUTO",
  },
  (model, report) => {
    for (const { group, i, name } of groupsOf(model)) {
      const kind: unknown = group.kind;
      if (typeof kind === "number")
        report(model.at(["instance_group", i, "kind"], "no such kind"), { kind, i, group: name });
    }
  },
);

const noGpu = modelRule(
  {
    code: "instance/no-gpu",
    triton: ["146", "149"],
    atLoad: true,
    reason: "An instance that must run on a GPU does not load on a machine without one.",
    words: "instance group {group} of model {model} has kind KIND_GPU but no GPUs are available",
    message: "instance group {i} of `{model}` needs a GPU, but the machine has none",
    help: "write `kind: KIND_AUTO`, which uses GPUs if there are any",
  },
  (model, report) => {
    if (model.options.gpus?.length !== 0) return;
    for (const { group, kind, i, name } of groupsOf(model))
      if (kind === "KIND_GPU" && !group.gpus?.length)
        report(model.at(["instance_group", i, "kind"], "no GPU here"), { i, group: name });
  },
);

const unknownGpu = modelRule(
  {
    code: "instance/unknown-gpu",
    triton: ["146"],
    atLoad: true,
    reason: "Triton does not fall back to another GPU.",
    words: "instance group {group} of model {model} specifies invalid or unsupported gpu id {gpu:n}",
    message: "instance group {i} of `{model}` needs GPU {gpu}, which the machine does not have",
    help: "name a GPU that the machine has, or remove `gpus` to use them all",
  },
  (model, report) => {
    const { gpus } = model.options;
    if (gpus === undefined) return;
    for (const { group, kind, i, name } of groupsOf(model))
      for (const [j, gpu] of (kind === "KIND_GPU" ? (group.gpus ?? []) : []).entries())
        if (!gpus.includes(gpu))
          report(model.at(["instance_group", i, "gpus", j], `there are ${gpus.join(", ") || "none"}`), {
            i,
            gpu,
            group: name,
          });
  },
);

const gpusWithoutGpu = modelRule(
  {
    code: "instance/gpus-without-gpu",
    triton: ["147", "148"],
    atLoad: true,
    reason:
      "Only KIND_GPU instances may name GPUs. KIND_AUTO becomes KIND_CPU if a named GPU is missing, and then fails because it names GPUs.",
    words: "instance group {group} of model {model} has kind {kind} but specifies one or more GPUs",
    message: "instance group {i} of `{model}` has kind {kind} and names GPUs",
    help: "write `kind: KIND_GPU`, or remove `gpus`",
  },
  (model, report) => {
    for (const { group, kind, i, name } of groupsOf(model)) {
      if ((kind !== "KIND_CPU" && kind !== "KIND_MODEL") || !group.gpus?.length) continue;
      report(
        [
          model.at(["instance_group", i, "gpus"], `GPU ${group.gpus.join(", ")}`),
          model.at(["instance_group", i, "kind"], kind),
        ],
        { i, kind, group: name },
      );
    }
  },
);

const profile = modelRule(
  {
    code: "instance/profile",
    triton: ["151"],
    atLoad: true,
    reason: "Only the TensorRT backend supports optimization profiles.",
    words:
      "instance group {group} of model {model} and platform {platform}specifies profile field which is only supported for TensorRT models",
    message:
      "instance group {i} of `{model}` has a profile, which only the platform `tensorrt_plan` supports",
    help: "remove `profile`",
  },
  (model, report) => {
    const { platform = "" } = model.config;
    if (platform === "tensorrt_plan") return;
    for (const { group, i, name } of groupsOf(model))
      if (group.profile?.length)
        report(model.at(["instance_group", i, "profile"], "TensorRT only"), { i, group: name, platform });
  },
);

const profileIndex = modelRule(
  {
    code: "instance/profile-index",
    triton: ["151"],
    judged: "stub",
    atLoad: true,
    reason:
      "A profile is specified as the index of an optimization profile in the engine; an index that does not fit into 32 bits crashes the server.",
    words: {
      number: "unable to parse '{profile}': stoi",
      negative:
        "instance group {group} of model {model} and platform tensorrt_plan specifies invalid profile {profile}. The field should contain the string representation of a non-negative integer.",
    },
    message: "profile `{profile}` of instance group {i} of `{model}` is not a profile number",
    help: "write a whole number, 0 or greater",
  },
  (model, report) => {
    if (model.config.platform !== "tensorrt_plan") return;
    for (const { group, i, name } of groupsOf(model))
      for (const [j, profile] of (group.profile ?? []).entries()) {
        // Like `stoi`, reads the leading digits, regardless of what follows them.
        const index = Number(/^\s*([+-]?\d+)/.exec(profile)?.[1] ?? "NaN");
        if (index >= 0 && index < 2 ** 31) continue;
        report(model.at(["instance_group", i, "profile", j], "not a profile number"), {
          profile,
          i,
          group: name,
          words: Number.isNaN(index) ? "number" : "negative",
        });
      }
  },
);

export const instanceRules: readonly Rule[] = [
  unknownKind,
  noGpu,
  unknownGpu,
  gpusWithoutGpu,
  profile,
  profileIndex,
];
