/** Indices of the `count` largest, the largest first, among equals the first one; NaN comes last. */
export const bestCandidates = (scores: Float64Array, count: number): readonly number[] => {
  const best: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] as number;
    if (best.length === count && !(score > least)) continue;
    let place = best.length;
    while (place > 0 && (scores[best[place - 1] as number] as number) < score) place--;
    best.splice(place, 0, index);
    if (best.length > count) best.pop();
    least = scores[best.at(-1) as number] as number;
  }
  return best;
};
