/**
 * For each model that calls itself, directly or indirectly: the cycle, as a path that begins and ends with that model.
 * `needs`: the models that a model calls.
 */
export const findCircles = (
  needs: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> => {
  const circles = new Map<string, readonly string[]>();
  for (const name of entangled(needs)) {
    const circle = circles.has(name) ? undefined : wayBack(name, needs);
    if (circle === undefined) continue;
    const ring = circle.slice(1);
    for (const [i, member] of ring.entries())
      if (!circles.has(member)) circles.set(member, shownCircle(ring, i));
  }
  return circles;
};

/** The path from one member of a cycle back to itself; for long cycles, only the beginning. */
const shownCircle = (ring: readonly string[], at: number): readonly string[] => {
  const names = Array.from(ring.slice(0, 8), (_, i) => ring[(at + i) % ring.length] ?? "");
  return [...names, ...(ring.length > names.length ? ["…"] : []), ring[at] ?? ""];
};

/** The models that are in a cycle or on a path between two cycles. */
const entangled = (needs: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const forward = peel(needs);
  const users = new Map<string, string[]>([...forward.keys()].map((name) => [name, []]));
  for (const [name, members] of forward) for (const member of members) users.get(member)?.push(name);
  return [...peel(users).keys()];
};

/** The graph, reduced to the nodes from which a path leads to a cycle. */
const peel = (edges: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> => {
  const sources = new Map<string, string[]>();
  const left = new Map<string, number>();
  for (const [name, targets] of edges) {
    const inside = targets.filter((target) => edges.has(target));
    left.set(name, inside.length);
    for (const target of inside) {
      const known = sources.get(target) ?? [];
      known.push(name);
      sources.set(target, known);
    }
  }
  const ends = [...left].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = ends.pop(); name !== undefined; name = ends.pop()) {
    left.delete(name);
    for (const source of sources.get(name) ?? []) {
      const count = (left.get(source) ?? 0) - 1;
      left.set(source, count);
      if (count === 0) ends.push(source);
    }
  }
  return new Map([...edges].filter(([name]) => left.has(name)));
};

const wayBack = (
  start: string,
  needs: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined => {
  const from = new Map<string, string>();
  const queue = [start];
  for (let i = 0; i < queue.length; i++) {
    const name = queue[i] as string;
    for (const next of needs.get(name) ?? []) {
      if (next === start) return path(name, start, from);
      if (from.has(next)) continue;
      from.set(next, name);
      queue.push(next);
    }
  }
  return undefined;
};

const path = (last: string, start: string, from: ReadonlyMap<string, string>): readonly string[] => {
  const names = [start];
  for (let name = last; name !== start; name = from.get(name) as string) names.unshift(name);
  return [start, ...names];
};
