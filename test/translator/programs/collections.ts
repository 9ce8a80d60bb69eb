interface Item {
  name: string;
  score: number;
  tags?: string[];
}
const WEIGHTS: Record<string, number> = { a: 1, b: 2.5 };
const STOP = new Set(["the", "a", "of"]);

export function mapped({ xs }: { xs: number[] }) {
  return {
    out: xs.map((x) => x * 2),
    odd: xs.filter((x) => x % 2 !== 0),
    at: xs.map((x, i) => x + i),
    text: xs.map(String),
    flat: xs.flatMap((x) => [x, -x]),
    kept: xs.filter(Boolean),
  };
}
export function folded({ xs }: { xs: number[] }) {
  return {
    sum: xs.reduce((a, b) => a + b, 0),
    all: xs.every((x) => x > 0),
    some: xs.some((x, i) => x === i),
    found: xs.find((x) => x > 3) ?? null,
    where: xs.findIndex((x) => x < 0),
    joined: xs.join("/"),
  };
}
export function sorted({ xs, names }: { xs: number[]; names: string[] }) {
  const own = [...xs];
  own.sort((a, b) => a - b);
  own.reverse();
  return {
    own,
    up: xs.toSorted((a, b) => a - b),
    down: [...xs].sort((a, b) => b - a),
    text: [...xs].sort(),
    names: names.toSorted(),
    long: [...names].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)),
  };
}
export function stacked({ xs }: { xs: number[] }) {
  const stack: number[] = [];
  for (const x of xs) {
    if (x < 0) stack.pop();
    else stack.push(x, x + 1);
  }
  const top = stack.pop() ?? -1;
  const first = stack.shift();
  stack.unshift(99);
  const gone = stack.splice(1, 2, 7);
  return { stack, top, first: first ?? "none", gone, length: stack.length };
}
export function sliced({ xs, a }: { xs: number[]; a: number }) {
  return {
    out: [xs.slice(a), xs.slice(1, 3), xs.slice(-2), xs.concat([a]), [...xs, a, ...xs], xs.toReversed()],
    last: xs.at(-1) ?? 0,
    has: [xs.includes(a), xs.includes(NaN)],
    index: [xs.indexOf(a), xs.lastIndexOf(a)],
  };
}
export function tally({ names }: { names: string[] }) {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const order = [...counts].sort(([, a], [, b]) => b - a);
  return {
    order,
    keys: [...counts.keys()],
    values: [...counts.values()],
    most: order[0]?.[0] ?? "",
    record: Object.fromEntries(counts),
    size: counts.size,
  };
}
export function numberKeys({ xs }: { xs: number[] }) {
  const seen = new Map<number, number>();
  xs.forEach((x, i) => {
    seen.set(x, i);
  });
  seen.delete(1);
  let out = "";
  for (const [key, value] of seen) out += `${key}:${value};`;
  return {
    out,
    nan: seen.has(NaN),
    zero: seen.get(0) ?? "no",
    unique: [...new Set(xs)],
    size: new Set(xs).size,
  };
}
export function sets({ names, s }: { names: string[]; s: string }) {
  const all = new Set(names);
  all.add(s);
  all.delete("a");
  const common = names.filter((name) => STOP.has(name));
  return { all: [...all], has: all.has(s), common, list: Array.from(all, (x) => x.length) };
}
export function records({ s, n }: { s: string; n: number }) {
  const item: Item = { name: s, score: n };
  const more = { ...item, tags: [s], score: n + 1, 7: "seven", 3: "three" };
  const { name, ...rest } = more;
  item.score *= 2;
  return {
    keys: Object.keys(more),
    values: Object.values(item),
    entries: Object.entries({ b: 1, a: n }),
    rest: JSON.stringify(rest),
    name,
    tag: item.tags?.[0] ?? "none",
    has: Object.hasOwn(more, s),
  };
}
export function weights({ s }: { s: string }) {
  let total = 0;
  for (const c of s) total += Object.hasOwn(WEIGHTS, c) ? (WEIGHTS[c] ?? 0) : 0.5;
  let list = "";
  for (const key of Object.keys(WEIGHTS)) list += `${key}=${WEIGHTS[key]} `;
  return { total, list, known: "a" in WEIGHTS };
}
export function optionals({ o }: { o: { a?: { b: string; c?: number }; n: number | null } }) {
  const { a, n = 3 } = o;
  return {
    b: a?.b ?? "none",
    upper: a?.b.toUpperCase() ?? null,
    c: a?.c ?? n ?? -1,
    missing: a === undefined,
    n: n === null ? "null" : `${n}`,
    length: o.a?.b.length ?? 0,
  };
}
export function matrix({ n, xs }: { n: number; xs: number[][] }) {
  const size = Math.min(Math.max(n | 0, 0), 4);
  const table = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? 1 : i * j)),
  );
  const sums = xs.map((row) => row.reduce((a, b) => a + b, 0));
  return { table, sums, flat: xs.flat(), widths: xs.map((row) => row.length), text: String(xs) };
}
export function distance({ s, t }: { s: string; t: string }) {
  let previous = Array.from({ length: t.length + 1 }, (_, i) => i);
  for (let i = 1; i <= s.length; i++) {
    const current = [i];
    for (let j = 1; j <= t.length; j++) {
      const cost = s[i - 1] === t[j - 1] ? 0 : 1;
      current.push(Math.min(current[j - 1]! + 1, previous[j]! + 1, previous[j - 1]! + cost));
    }
    previous = current;
  }
  return { distance: previous[t.length] ?? 0 };
}
export function grouped({ names }: { names: string[] }) {
  const groups = new Map<number, string[]>();
  for (const name of names) {
    const group = groups.get(name.length);
    if (group === undefined) groups.set(name.length, [name]);
    else group.push(name);
  }
  return {
    out: [...groups.entries()].sort((a, b) => a[0] - b[0]).map(([size, all]) => `${size}: ${all.join(",")}`),
  };
}
export function ranked({ xs, n }: { xs: number[]; n: number }) {
  const order = xs.map((score, index) => ({ score, index })).sort((a, b) => b.score - a.score);
  const top = order
    .slice(0, n)
    .map(({ index, score }) => ({ index, percent: `${(score * 100).toFixed(1)}%` }));
  return { top, json: JSON.stringify(order), best: order[0]?.index ?? -1 };
}
export function zipped({ xs, names }: { xs: number[]; names: string[] }) {
  const out: [string, number][] = [];
  for (const [i, name] of names.entries()) {
    const x = xs[i];
    if (x === undefined) break;
    out.push([name, x]);
  }
  for (const pair of out) pair[1] += 1;
  return { out, map: [...new Map(out)], entries: [...names.entries()] };
}
export function typedSums({ xs }: { xs: Float32Array }) {
  let sum = 0;
  for (const x of xs) sum += x;
  let best = 0;
  for (let i = 1; i < xs.length; i++) if (xs[i]! > xs[best]!) best = i;
  return { sum, best, list: Array.from(xs), spread: [...xs].map((x) => x / 2), length: xs.length };
}
export function nulls({ items }: { items: (string | null)[] }) {
  const present = items.filter((item) => item !== null);
  return {
    count: present.length,
    text: items.join("+"),
    all: `${items}`,
    upper: items.map((item) => item?.toUpperCase() ?? "-"),
  };
}
export function unionFind({ n, xs }: { n: number; xs: number[] }) {
  const size = Math.min(Math.max(n | 0, 1), 8);
  const parent = Array.from({ length: size }, (_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (parent[at] !== at) at = parent[at] ?? 0;
    return at;
  };
  for (const x of xs) {
    const a = Math.abs(Math.trunc(x)) % size;
    if (!Number.isFinite(a)) continue;
    parent[root(a)] = root(0);
  }
  return { parent, roots: new Set(parent.map((i) => root(i))).size };
}
export function typedMade({ xs, list }: { xs: Float32Array; list: number[] }) {
  const out = new Float32Array(xs.length);
  for (let i = 0; i < xs.length; i++) out[i] = xs[i]! / 3;
  const bytes = Uint8Array.from(list, (x) => x * 100);
  const small = new Int16Array(list);
  out[2] = 0.1;
  return {
    out: Array.from(out),
    mapped: [...xs.map((x) => x * 1.1)],
    bytes: [...bytes],
    small: [...small],
    kept: [...xs.filter((x) => x > 0)],
    clamped: [...Uint8ClampedArray.from(list)],
    ints: [...Int32Array.from(list, (x, i) => x * 1e6 + i)],
    best: Math.max(...xs, 0),
  };
}
export function parsedJson({ s, n, names }: { s: string; n: number; names: string[] }) {
  const text =
    n > 5
      ? s
      : JSON.stringify(n > 0 ? { words: names, size: n, next: { words: [], size: -n } } : { words: s });
  try {
    const found = JSON.parse(text) as {
      words: string[];
      size: number;
      next?: { words: string[]; size: number };
    };
    return { words: found.words.join("|"), size: found.size, next: found.next?.size ?? null };
  } catch (error) {
    return { words: (error as Error).message, size: 0, next: null };
  }
}
