import { type DeployedBuild, serverName } from "../deployed-build.ts";
import { latencyRule } from "./latency-rule.ts";

/** The answers of a build in the local runtime to the samples of its ensembles. */
export type SmokeMeasurement = Readonly<Record<string, MeasuredEnsemble>>;

export type MeasuredEnsemble =
  | { readonly medianMilliseconds: number; readonly samples: readonly SmokeSample[] }
  /** Why no samples are sent, such as "has no samples". */
  | { readonly unchecked: string };

interface SmokeSample {
  readonly inputs: SmokeTensors;
  readonly outputs: SmokeTensors;
}

/** Tensors by name; `data` is the binary form in base64. */
export type SmokeTensors = Readonly<
  Record<string, { readonly datatype: string; readonly shape: readonly number[]; readonly data: string }>
>;

/** The path of `smoke.json` in the folder of a deployment. */
export const smokePath = "chart/files/smoke.json";

/** `smoke.json`, which `smoke.py` reads: the properties of the build that a server must have. */
export const smokeFile = (build: DeployedBuild, measured: SmokeMeasurement): string =>
  `${JSON.stringify(
    {
      build: build.hash,
      server: serverName(build),
      latency: latencyRule,
      ensembles: Object.fromEntries(
        build.manifest.ensembles.map(({ name, contractHash }) => [
          name,
          {
            contract: contractHash,
            warmup: warmupOf(build, name),
            ...(measured[name] ?? { unchecked: "was not measured" }),
          },
        ]),
      ),
    },
    null,
    2,
  )}\n`;

/** The number of warmup requests of each model that an ensemble's samples warm up. */
const warmupOf = ({ manifest, models }: DeployedBuild, ensemble: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (manifest.warmup?.requests ?? [])
      .filter((request) => request.ensemble === ensemble)
      .map(({ model }) => [
        model,
        models.find(({ name }) => name === model)?.config.model_warmup?.length ?? 0,
      ]),
  );

/**
 * A ConfigMap and Helm's release are limited to 1 MiB, and tools that apply objects as kubectl does copy each into an annotation,
 * which is limited to 256 KiB.
 */
const mostBytes = 200_000;

/** Leaves out the samples of whole ensembles until the others fit into the chart; the smallest are kept. */
export const fittingSamples = (measured: SmokeMeasurement): SmokeMeasurement => {
  const sizes = Object.entries(measured)
    .map(([name, one]) => [name, JSON.stringify(one, null, 2).length] as const)
    .toSorted(([, a], [, b]) => a - b);
  let total = 0;
  const left = new Map(sizes.filter(([, size]) => (total += size) > mostBytes));
  return Object.fromEntries(
    Object.entries(measured).map(([name, one]) => {
      const size = left.get(name);
      if (size === undefined) return [name, one];
      return [name, { unchecked: `has ${Math.round(size / 1000)} kB of samples, too many for the chart` }];
    }),
  );
};
