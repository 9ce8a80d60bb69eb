import { lowerDuration } from "@tritype/triton";
import { type ModelStorage, readModelStorage } from "./model-storage.ts";

/** `deploy` of `pipeline.config.ts`, as written: durations such as "10s". */
export interface DeployConfig {
  readonly image?: string | undefined;
  readonly models?: string | undefined;
  readonly output?: string | undefined;
  readonly replicas?: number | undefined;
  readonly rollout?: RolloutConfig | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly proxy?: DeploySettings["proxy"] | undefined;
}

interface RolloutConfig {
  readonly maxUnavailable?: number | undefined;
  readonly maxSurge?: number | undefined;
  readonly drain?: string | undefined;
  readonly grpcMaxConnectionAge?: string | undefined;
  readonly exitTimeout?: string | undefined;
  readonly longestRequest?: string | undefined;
  readonly grace?: string | undefined;
  readonly slowestLoad?: string | undefined;
  readonly startupProbe?:
    | { readonly period?: string | undefined; readonly failures?: number | undefined }
    | undefined;
}

/** How a build is deployed, including defaults. */
export interface DeploySettings {
  /** Name of the image in a registry, without a tag or digest; "" if it is set only when the chart is installed. */
  readonly image: string;
  /** Name of the project in its package.json, or "". */
  readonly packageName: string;
  readonly models: ModelStorage;
  readonly replicas: number;
  readonly rollout: Rollout;
  /** The same for servers whose models build engines when they are loaded. */
  readonly engineRollout: Rollout;
  /** Processors of a server in each profile that states them. */
  readonly cores: Readonly<Record<string, number>>;
  readonly kserve: boolean;
  readonly gateway: boolean;
  /** The proxy in front of the servers of the Compose file. */
  readonly proxy: "haproxy" | "envoy";
}

/** How servers are replaced. Times are in seconds. */
export interface Rollout {
  /** Number of servers that may be missing while others are replaced. */
  readonly maxUnavailable: number;
  readonly maxSurge: number;
  /** Time before SIGTERM during which the server still answers while gateways stop using its address. */
  readonly drain: number;
  /** Age at which the server asks clients to open a new gRPC connection. */
  readonly grpcMaxConnectionAge: number;
  /** `--exit-timeout-secs` */
  readonly exitTimeout: number;
  readonly longestRequest: number;
  /** Time from the decision to stop until SIGKILL. */
  readonly grace: number;
  readonly slowestLoad: number;
  readonly startupPeriod: number;
  readonly startupFailures: number;
}

/** Time for the process to end after its exit timeout. */
const spareSeconds = 15;

/** Time for models to load, and for models that also build TensorRT engines. */
const [loadSeconds, engineSeconds] = [300, 1800];

/** The settings of a validated configuration. */
export const deploySettings = (
  config: DeployConfig = {},
  cores: DeploySettings["cores"] = {},
  packageName = "",
): DeploySettings => {
  const {
    image = "",
    models = "image",
    replicas = 2,
    platforms = [],
    proxy = "haproxy",
    rollout = {},
  } = config;
  const drain = secondsOf(rollout.drain) ?? 10;
  const exitTimeout = secondsOf(rollout.exitTimeout) ?? 30;
  const longestRequest = secondsOf(rollout.longestRequest) ?? 30;
  const startupPeriod = secondsOf(rollout.startupProbe?.period) ?? 5;
  const { failures } = rollout.startupProbe ?? {};
  const rolloutFor = (byDefault: number): Rollout => {
    const slowestLoad = secondsOf(rollout.slowestLoad) ?? byDefault;
    return {
      maxUnavailable: rollout.maxUnavailable ?? 0,
      maxSurge: rollout.maxSurge ?? 1,
      drain,
      grpcMaxConnectionAge: secondsOf(rollout.grpcMaxConnectionAge) ?? Math.max(1, Math.floor(drain / 2)),
      exitTimeout,
      longestRequest,
      grace: secondsOf(rollout.grace) ?? drain + exitTimeout + longestRequest + spareSeconds,
      slowestLoad,
      startupPeriod,
      startupFailures: failures ?? Math.ceil(slowestLoad / startupPeriod),
    };
  };
  return {
    image,
    packageName,
    models: readModelStorage(models) ?? { kind: "image" },
    replicas,
    rollout: rolloutFor(loadSeconds),
    engineRollout: rolloutFor(failures === undefined ? engineSeconds : loadSeconds),
    cores,
    kserve: platforms.includes("kserve"),
    gateway: platforms.includes("gateway"),
    proxy,
  };
};

const secondsOf = (duration: string | undefined): number | undefined => {
  const microseconds = lowerDuration(duration);
  return microseconds === undefined ? undefined : microseconds / 1_000_000;
};
