import { type Graph, groupBy, invariant } from "@tritype/core";
import type { Unit } from "../graph/first-step.ts";
import { startGroups, type Wired } from "../graph/start-groups.ts";
import type { Refusals } from "../step-kind.ts";

/** A step of an ensemble whose position is not known yet. */
export interface OrderedUnit extends Unit {
  readonly call: Wired & { readonly model: string };
  readonly refusals: Refusals;
}

/**
 * Orders producers before consumers. Among units that may start at the same time, those that refuse requests come last,
 * because Triton before 26.05 may hang or crash if a step fails before its parallel steps have started. If such
 * constraints conflict, one is dropped. Ready units are ordered by name.
 */
export const orderUnits = <T extends OrderedUnit>(units: readonly T[], graph: Graph): readonly T[] => {
  const makers = waiting(units);
  const waitsFor = new Map(units.map((unit) => [unit, new Set(makers.get(unit))]));
  for (const [unit, others] of startedEarlier(units))
    for (const other of others) waitsFor.get(unit)?.add(other);
  const waiters = groupBy(
    [...waitsFor].flatMap(([unit, others]) => [...others].map((other) => [other, unit] as const)),
  );
  const left = new Set(units);
  const ready = units.filter((unit) => waitsFor.get(unit)?.size === 0).toSorted(byName);
  const ordered: T[] = [];
  for (;;) {
    const next = ready.shift() ?? startable(left, makers);
    if (next === undefined) break;
    left.delete(next);
    ordered.push(next);
    for (const unit of waiters.get(next) ?? []) {
      const others = waitsFor.get(unit);
      others?.delete(next);
      if (others?.size !== 0 || !left.has(unit)) continue;
      const at = ready.findIndex((other) => byName(unit, other) < 0);
      ready.splice(at < 0 ? ready.length : at, 0, unit);
    }
  }
  invariant(left.size === 0, `the plan of ${graph.nodes.length} nodes has a cycle`);
  return ordered;
};

const nameOf = ({ call }: OrderedUnit): string =>
  JSON.stringify([call.model, Object.values(call.outputs).toSorted()]);
const byName = (a: OrderedUnit, b: OrderedUnit): number => (nameOf(a) < nameOf(b) ? -1 : 1);

/** For every unit, the producers of its inputs. */
const waiting = <T extends OrderedUnit>(units: readonly T[]): ReadonlyMap<T, ReadonlySet<T>> => {
  const maker = new Map(units.flatMap((unit) => unit.makes.map((id) => [id, unit] as const)));
  return new Map(units.map((unit) => [unit, new Set(unit.reads.flatMap((id) => maker.get(id) ?? []))]));
};

/** For every unit that refuses requests, the units that should start before it. */
const startedEarlier = <T extends OrderedUnit>(
  units: readonly T[],
): readonly (readonly [T, readonly T[]])[] => {
  const unitOf = new Map(units.map((unit) => [unit.call, unit]));
  return startGroups(units.map(({ call }) => call)).flatMap((calls) => {
    const group = calls.flatMap((call) => unitOf.get(call) ?? []);
    return group
      .filter(({ refusals }) => refusals !== "none")
      .map((unit) => [unit, group.filter((other) => rank(other) < rank(unit))] as const);
  });
};

/** Later positions are better for steps whose errors are not delayed. */
const rank = ({ refusals }: OrderedUnit): number => ["none", "held", "immediate"].indexOf(refusals);

/** If the constraints conflict, uses the first unit by rank and name whose producers are already placed. */
const startable = <T extends OrderedUnit>(
  left: ReadonlySet<T>,
  makers: ReadonlyMap<T, ReadonlySet<T>>,
): T | undefined =>
  [...left]
    .filter((unit) => ![...(makers.get(unit) ?? [])].some((maker) => left.has(maker)))
    .toSorted((a, b) => rank(a) - rank(b) || byName(a, b))[0];
