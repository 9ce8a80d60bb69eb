/** A weighted average of the latest values, in which the newest count most. */
export interface MovingAverage {
  /** Infinite before the first value. */
  value(): number;
  add(value: number): void;
}

export const movingAverage = (): MovingAverage => {
  let average = Number.POSITIVE_INFINITY;
  return {
    value: () => average,
    add: (value) => {
      average = Number.isFinite(average) ? average + (value - average) / 8 : value;
    },
  };
};
