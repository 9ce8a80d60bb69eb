import { type Demand, findPlan, type NoPlan, type Plan } from "./find-plan.ts";
import type { SimulatedStation } from "./measurement.ts";
import type { System } from "./system.ts";

/** A change of the settings or of the limit, and the plan that results. */
export interface Change {
  /** "double: 2 instances" */
  readonly what: string;
  readonly plan: Plan | NoPlan;
}

/** The model whose instances are busiest. */
export const bottleneckOf = (stations: readonly SimulatedStation[]): SimulatedStation | undefined =>
  stations.toSorted((a, b) => b.utilization - a.utilization)[0];

/** Plans for changed conditions: settings of the models, one at a time, and other limits. */
export const tryChanges = (system: System, demand: Demand, plan: Plan | NoPlan): readonly Change[] => {
  const near = plan.kind === "plan" ? plan.capacity : undefined;
  const busiest = plan.kind === "plan" ? bottleneckOf(plan.server.stations)?.model : undefined;
  const variants = system.stations.flatMap(({ model, instances, batching, maxBatchSize }) => {
    const changed = (what: string, fields: Partial<System["stations"][number]>) => ({
      what: `${model}: ${what}`,
      system: {
        ...system,
        stations: system.stations.map((one) => (one.model === model ? { ...one, ...fields } : one)),
      },
    });
    return [
      ...(batching !== undefined && batching.delay > 0
        ? [changed("batches without a delay", { batching: { ...batching, delay: 0 } })]
        : []),
      ...(batching === undefined && maxBatchSize > 1
        ? [changed("dynamic batching", { batching: { maxBatchSize, preferred: [maxBatchSize], delay: 0 } })]
        : []),
      ...(model === busiest ? [changed(`${instances + 1} instances`, { instances: instances + 1 })] : []),
    ];
  });
  const tried = variants.map(({ what, system: other }) => ({ what, plan: findPlan(other, demand, near) }));
  const limits = [demand.p99 / 2, demand.p99 * 2].map((p99) => ({
    what: `p99 within ${Number(p99.toPrecision(3))} ms`,
    plan: findPlan(system, { ...demand, p99 }, near),
  }));
  return [...tried, ...limits];
};
