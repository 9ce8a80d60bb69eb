/** Rules that no generated repository can break, and why. */
export const unexercised: ReadonlyMap<string, string> = new Map([]);
