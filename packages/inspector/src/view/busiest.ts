import type { ModelView } from "../api.ts";

/** The requests per second of a model, and their mean time in milliseconds. */
export interface Load {
  readonly requests: number;
  readonly took: number;
}

/**
 * The model that takes most of the time, without the time of the models that its code calls. An ensemble does not
 * count, because its time is that of its members. undefined if no model is busy.
 */
export const busiestOf = (
  loads: ReadonlyMap<string, Load>,
  models: ReadonlyMap<string, Pick<ModelView, "steps" | "calls">>,
): string | undefined => {
  const spent = (name: string): number => {
    const { requests, took } = loads.get(name) ?? { requests: 0, took: 0 };
    return requests * took;
  };
  const own = [...loads.keys()].flatMap((name) => {
    const { steps, calls = [] } = models.get(name) ?? {};
    if (steps !== undefined || spent(name) === 0) return [];
    return [[name, spent(name) - calls.reduce((sum, callee) => sum + spent(callee), 0)] as const];
  });
  return own.length === 0 ? undefined : own.reduce((a, b) => (b[1] > a[1] ? b : a))[0];
};
