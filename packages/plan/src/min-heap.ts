/** Values in ascending order of their keys. Values of one key come out in any order. */
export interface MinHeap<Value> {
  push(key: number, value: Value): void;
  /** Removes the first value. */
  pop(): Value | undefined;
  /** Infinite if it is empty. */
  firstKey(): number;
}

export const minHeap = <Value>(): MinHeap<Value> => {
  const keys: number[] = [];
  const values: Value[] = [];
  const keyAt = (at: number): number => keys[at] ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number): void => {
    [keys[a], keys[b]] = [keyAt(b), keyAt(a)];
    [values[a], values[b]] = [values[b] as Value, values[a] as Value];
  };
  return {
    push: (key, value) => {
      let at = keys.push(key) - 1;
      values.push(value);
      for (let up = (at - 1) >> 1; at > 0 && keyAt(up) > key; up = (at - 1) >> 1) {
        swap(at, up);
        at = up;
      }
    },
    pop: () => {
      const last = keys.length - 1;
      if (last < 0) return undefined;
      swap(0, last);
      keys.pop();
      const first = values.pop();
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const down = keyAt(right) < keyAt(left) ? right : left;
        if (keyAt(down) >= keyAt(at)) return first;
        swap(at, down);
        at = down;
      }
    },
    firstKey: () => keyAt(0),
  };
};
