import { isOdd } from "./odd.ts";

/** Imports the module that imports it. */
export const isEven = (n: number): boolean => n === 0 || isOdd(n - 1);
export const table: Readonly<Record<string, (n: number) => boolean>> = { isEven, isOdd: (n) => isOdd(n) };
