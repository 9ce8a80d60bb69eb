/** A time with its unit, in whole microseconds: `"2ms"`, `"500us"`, `"1s"`. */
export type Duration = `${number}us` | `${number}ms` | `${number}s`;
