import type { Bar } from "@tritype/drift";

/** The number of powers of ten that a plot can show well, and the share of values that may be left out to achieve this. */
const mostDecades = 8;
const mostLeftOut = 0.01;

/** The bars without the few outliers that would squeeze all other bars into a corner, and the number of outliers below and above. */
export const withoutTails = (
  bars: readonly Bar[],
): { readonly shown: readonly Bar[]; readonly below: number; readonly above: number } => {
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  let [first, last, below, above] = [0, bars.length - 1, 0, 0];
  const at = (index: number): Bar => bars[index] ?? { from: 1, to: 1, count: 0 };
  const middle = middleOf(bars, total);
  while (Math.log10(at(last).to) - Math.log10(at(first).from) > mostDecades) {
    const low = middle / at(first).from > at(last).to / middle;
    const { count } = at(low ? first : last);
    if (below + above + count > mostLeftOut * total) break;
    if (low) [first, below] = [first + 1, below + count];
    else [last, above] = [last - 1, above + count];
  }
  return { shown: bars.slice(first, last + 1), below, above };
};

/** The position of the median value. */
const middleOf = (bars: readonly Bar[], total: number): number => {
  let seen = 0;
  return bars.find(({ count }) => (seen += count) >= total / 2)?.to ?? 1;
};
