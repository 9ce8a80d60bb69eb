import { type ModelConfig, stepModels } from "@tritype/triton";

/** The reason why there is no order in which an ensemble can be loaded. */
export interface OrderProblem {
  readonly name: string;
  readonly reason: string;
}

/** Names ordered so that every model comes before the ensembles that use it; ensembles in a cycle are problems. */
export const loadOrder = (
  configs: ReadonlyMap<string, ModelConfig>,
): { readonly order: readonly string[]; readonly problems: readonly OrderProblem[] } => {
  const order: string[] = [];
  const problems: OrderProblem[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): void => {
    const config = configs.get(name);
    if (config === undefined || done.has(name)) return;
    const start = path.indexOf(name);
    if (start >= 0) {
      const [first, ...rest] = path.slice(start);
      const cycle = [first, ...rest, first].join(" -> ");
      for (const member of path.slice(start))
        if (!problems.some((problem) => problem.name === member))
          problems.push({ name: member, reason: `circular dependency between ensembles: ${cycle}` });
      return;
    }
    path.push(name);
    stepModels(config).forEach(visit);
    path.pop();
    done.add(name);
    order.push(name);
  };
  for (const name of configs.keys()) visit(name);
  const broken = new Set(problems.map((problem) => problem.name));
  return { order: order.filter((name) => !broken.has(name)), problems };
};
