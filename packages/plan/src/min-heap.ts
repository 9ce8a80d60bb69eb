/** Values in ascending order of their keys. Values with equal keys come out in any order. */
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
  const keyAt = (at: number): number => (at < keys.length ? (keys[at] as number) : Number.POSITIVE_INFINITY);
  const put = (at: number, key: number, value: Value): void => {
    keys[at] = key;
    values[at] = value;
  };
  /** Makes room for a key by moving larger ones down. Returns its place. */
  const up = (key: number): number => {
    let at = keys.length;
    for (let above = (at - 1) >> 1; at > 0 && keyAt(above) > key; above = (at - 1) >> 1) {
      put(at, keyAt(above), values[above] as Value);
      at = above;
    }
    return at;
  };
  /** Fills the first place by moving smaller keys up. Returns the place for the key. */
  const down = (key: number): number => {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const below = keyAt(left + 1) < keyAt(left) ? left + 1 : left;
      if (keyAt(below) >= key) return at;
      put(at, keyAt(below), values[below] as Value);
      at = below;
    }
  };
  return {
    push: (key, value) => put(up(key), key, value),
    pop: () => {
      const first = values[0];
      const [key, value] = [keys.pop(), values.pop()];
      if (key !== undefined && keys.length > 0) put(down(key), key, value as Value);
      return first;
    },
    firstKey: () => keyAt(0),
  };
};
