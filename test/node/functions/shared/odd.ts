import { isEven } from "./even.ts";

export function isOdd(n: number): boolean {
  return n !== 0 && isEven(n - 1);
}
