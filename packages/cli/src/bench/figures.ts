/** Figures for display: three significant digits, with thousands separated. */
const digits = (value: number): string => {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const places = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
};

export const showRate = (perSecond: number): string => digits(perSecond);
export const showMs = (ms: number | undefined): string => (ms === undefined ? "–" : `${digits(ms)} ms`);
/** Microseconds as milliseconds. */
export const showUs = (us: number): string => showMs(us / 1000);
export const showRatio = (ratio: number | undefined): string =>
  ratio === undefined || !Number.isFinite(ratio) ? "–" : `${ratio.toFixed(2)}×`;
export const showNumber = (value: number | undefined): string => (value === undefined ? "–" : digits(value));
export const showCount = (count: number): string => count.toLocaleString("en-US");
