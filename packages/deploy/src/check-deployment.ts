import {
  type Diagnose,
  type Diagnostic,
  defineDiagnostics,
  type OptionPath,
  present,
  type Span,
} from "@tritype/core";
import { type DeployConfig, deploySettings } from "./deploy-settings.ts";

export const deployDiagnostics = {
  "deploy/unavailable-servers": {
    severity: "warning",
    message: "`maxUnavailable` is {count}: a rollout stops servers before their successors are ready",
    help: "set it to 0, and `maxSurge` to 1 or more; keep it only if the cluster has no room for another server, such as a spare GPU",
  },
  "deploy/no-room": {
    message: "`maxUnavailable` and `maxSurge` are both 0: a rollout could not replace any server",
    help: "set `maxSurge` to 1",
  },
  "deploy/short-drain": {
    message:
      "`drain` is {drain}: the server gets SIGTERM while kube-proxy and gateways still send it requests, and it refuses new connections immediately",
    help: "set it to 5s or more",
  },
  "deploy/connection-age": {
    message:
      "`grpcMaxConnectionAge` is {age}, but the server stops after {drain}: gRPC connections that are still open then fail",
    help: "set it to at most {most}: gRPC lets connections live up to a tenth longer",
  },
  "deploy/short-exit-timeout": {
    message: "`exitTimeout` is {exit}, but requests take up to {longest}: longer ones are cut off",
    help: "set it to {longest} or more",
  },
  "deploy/short-grace": {
    message:
      "`grace` is {grace}, but stopping takes up to {needed}: {drain} to drain, {exit} exit timeout, {longest} for the longest request",
    help: "set it to more than {needed}, or leave it out",
  },
  "deploy/short-startup": {
    message:
      "the startup probe allows {allowed} ({failures} × {period}), but the models take up to {load} to load: the server would be restarted repeatedly",
    help: "leave `failures` out, or set it to {least} or more",
  },
  "deploy/image-volume": {
    message: "`models` names an image, which only KServe can mount",
    help: 'add `platforms: ["kserve"]`, or use s3://, gs://, as:// or pvc://',
  },
  "deploy/splits-ensembles": {
    message: "{platform} cannot serve an ensemble: {why}",
    help: 'use the chart, or `platforms: ["kserve"]`, which serves all models of the build in one server',
  },
} as const;

const diagnose: Diagnose<typeof deployDiagnostics> = defineDiagnostics(deployDiagnostics);

/** Platforms that serve Triton's models one by one. Sources: modelmesh-serving#313 and #514, seldon-core#4646. */
const splitting: ReadonlyMap<string, readonly [name: string, why: string]> = new Map([
  ["modelmesh", ["ModelMesh", "it places models one by one, so members are missing where the ensemble runs"]],
  ["seldon", ["Seldon Core 2", "it renames models, so the ensemble does not find its members"]],
]);

/** Platforms that a user may name, but that cannot serve ensembles. */
export const splittingPlatforms: readonly string[] = [...splitting.keys()];

/**
 * The faults in the values of `deploy`: rollouts that would lose requests, and platforms that cannot serve the build.
 * @param placeOf Position of a field of `deploy` in the configuration.
 */
export const checkDeployment = (
  config: DeployConfig,
  placeOf: (path: OptionPath) => Span | undefined,
): readonly Diagnostic[] => {
  const labels = (path: OptionPath): Diagnostic["labels"] => {
    const span = placeOf(path);
    return span === undefined ? [] : [{ span, text: "" }];
  };
  const of = (...path: OptionPath): { readonly labels: Diagnostic["labels"] } => ({
    labels: labels(["rollout", ...path]),
  });
  const { rollout, models, kserve } = deploySettings(config);
  const { drain, exitTimeout, longestRequest, grace, grpcMaxConnectionAge: age } = rollout;
  const needed = drain + exitTimeout + longestRequest;
  const allowed = rollout.startupFailures * rollout.startupPeriod;
  return present(
    models.kind === "oci" &&
      !kserve &&
      diagnose("deploy/image-volume", { with: {}, labels: labels(["models"]) }),
    rollout.maxUnavailable === 0 &&
      rollout.maxSurge === 0 &&
      diagnose("deploy/no-room", { with: {}, ...of("maxSurge") }),
    rollout.maxUnavailable > 0 &&
      diagnose("deploy/unavailable-servers", {
        with: { count: rollout.maxUnavailable },
        ...of("maxUnavailable"),
      }),
    drain < leastDrain && diagnose("deploy/short-drain", { with: { drain: seconds(drain) }, ...of("drain") }),
    drain >= leastDrain &&
      age * 1.1 > drain &&
      diagnose("deploy/connection-age", {
        with: { age: seconds(age), drain: seconds(drain), most: seconds(Math.floor((drain * 10) / 11)) },
        ...of("grpcMaxConnectionAge"),
      }),
    exitTimeout < longestRequest &&
      diagnose("deploy/short-exit-timeout", {
        with: { exit: seconds(exitTimeout), longest: seconds(longestRequest) },
        ...of("exitTimeout"),
      }),
    grace <= needed &&
      diagnose("deploy/short-grace", {
        with: {
          grace: seconds(grace),
          needed: seconds(needed),
          drain: seconds(drain),
          exit: seconds(exitTimeout),
          longest: seconds(longestRequest),
        },
        ...of("grace"),
      }),
    allowed < rollout.slowestLoad &&
      diagnose("deploy/short-startup", {
        with: {
          allowed: seconds(allowed),
          failures: rollout.startupFailures,
          period: seconds(rollout.startupPeriod),
          load: seconds(rollout.slowestLoad),
          least: Math.ceil(rollout.slowestLoad / rollout.startupPeriod),
        },
        ...of("startupProbe", "failures"),
      }),
    ...(config.platforms ?? []).map((given, index) => {
      const [platform, why] = splitting.get(given) ?? [];
      return (
        platform !== undefined &&
        why !== undefined &&
        diagnose("deploy/splits-ensembles", { with: { platform, why }, labels: labels(["platforms", index]) })
      );
    }),
  );
};

/** In seconds: endpoints reach every node and gateway within a few seconds. */
export const leastDrain = 5;

const seconds = (count: number): string => `${count}s`;
