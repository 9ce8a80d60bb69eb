/** The candidate nearest to `name` by edit distance, when it is near enough to be meant. */
export const didYouMean = (name: string, candidates: readonly string[]): string | undefined => {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const scored = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return scored[0]?.candidate;
};

/** Insertions, deletions, replacements and swaps of two neighbours each cost 1. */
const editDistance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  const cost = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = cost(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cost(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, cost(i - 1, j) + 1, cost(i, j - 1) + 1));
    }
  }
  return cost(a.length, b.length);
};
