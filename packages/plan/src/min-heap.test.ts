import { random } from "@tritype/core";
import { expect, test } from "vitest";
import { minHeap } from "./min-heap.ts";

test("values come out in the order of their keys, regardless of when they went in", () => {
  const next = random(1);
  const heap = minHeap<number>();
  let kept: number[] = [];
  for (let i = 0; i < 2000; i++) {
    if (next() < 0.6) {
      const key = Math.floor(next() * 50);
      heap.push(key, key);
      kept = [...kept, key].toSorted((a, b) => a - b);
    } else {
      expect(heap.firstKey()).toBe(kept[0] ?? Number.POSITIVE_INFINITY);
      expect(heap.pop()).toBe(kept.shift());
    }
  }
});
