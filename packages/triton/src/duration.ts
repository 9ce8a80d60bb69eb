const perUnit = { us: 1, ms: 1000, s: 1_000_000 } as const;

/** `"2ms"` → 2000 microseconds; undefined if it is not a duration in whole microseconds. */
export const lowerDuration = (value: unknown): number | undefined => {
  const [, amount, unit] = typeof value === "string" ? (/^(\d+(?:\.\d+)?)(us|ms|s)$/.exec(value) ?? []) : [];
  if (amount === undefined) return undefined;
  const exact = Number(amount) * perUnit[unit as keyof typeof perUnit];
  const whole = Math.round(exact);
  return Math.abs(exact - whole) < 1e-6 && Number.isSafeInteger(whole) ? whole : undefined;
};
