/** Above this length, a name is not treated as a misspelling of another one. */
const longestName = 100;
/** Above this number of candidates, the nearest one is meaningless and the search is slow. */
const mostCandidates = 1000;

/**
 * The candidate closest to `name` by edit distance, if it is close enough; otherwise the only candidate that is a
 * prefix of `name` or begins with it.
 */
export const didYouMean = (name: string, candidates: readonly string[]): string | undefined => {
  if (name.length > longestName || candidates.length > mostCandidates) return undefined;
  const given = name.toLowerCase();
  let limit = Math.max(1, Math.floor(name.length / 3));
  let nearest: string | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(given, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    nearest = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return nearest ?? sameBeginning(given, candidates);
};

/** Shorter prefixes are too ambiguous. */
const shortestBeginning = 4;

const sameBeginning = (given: string, candidates: readonly string[]): string | undefined => {
  const [only, ...others] = candidates.filter((candidate) => {
    const [short = "", long = ""] = [given, candidate.toLowerCase()].toSorted((a, b) => a.length - b.length);
    return short.length >= shortestBeginning && long.startsWith(short);
  });
  return others.length === 0 ? only : undefined;
};

/**
 * Insertions, deletions, replacements and swaps of two adjacent characters each cost 1. If the distance
 * exceeds `limit`, the result may be any number above `limit`.
 */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  const cost = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  let before = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = cost(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cost(i - 2, j - 2) + 1 : Infinity;
      const best = Math.min(replaced, swapped, cost(i - 1, j) + 1, cost(i, j - 1) + 1);
      row.push(best);
      least = Math.min(least, best);
    }
    // A swap depends on the two previous rows.
    if (least > limit && before > limit) return Infinity;
    before = least;
  }
  return cost(a.length, b.length);
};
