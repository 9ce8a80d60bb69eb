import { average, type Stats, weighted as scored } from "./shared.ts";
import * as shared from "./shared.ts";

const GREETINGS: Readonly<Record<"en" | "de", string>> = { en: "Hello", de: "Hallo" };
const MAX_LENGTH = 12;
const OPERATIONS = { add: (a: number, b: number) => a + b, scale: (a: number, b: number) => a * b };

export function graded({ x }: { x: number }) {
  switch (Math.floor(x)) {
    case 0:
    case 1:
      return { grade: "low" };
    case 2: {
      const doubled = x * 2;
      return { grade: `middle ${doubled}` };
    }
    case 3:
      break;
    default:
      if (x < 0) return { grade: "negative" };
      return { grade: "high" };
  }
  return { grade: "three" };
}
export function validated({ s }: { s: string }) {
  let closed = 0;
  const check = (text: string): string => {
    if (text.length === 0) throw new Error("the text is empty");
    if (text.length > MAX_LENGTH)
      throw new RangeError(`the text is longer than ${MAX_LENGTH}: ${text.length}`);
    return text;
  };
  let out = "";
  try {
    out = check(s);
  } catch (error) {
    out = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } finally {
    closed += 1;
  }
  return { out, closed };
}
export function thrown({ s, n }: { s: string; n: number }) {
  if (n > 3) throw new TypeError(`no ${s}`);
  if (n < -3) throw new Error(s);
  return { s };
}
export function imported({ xs, x }: { xs: number[]; x: number }) {
  const stats: Stats = shared.summary(xs);
  return { average: average(xs), scored: scored(x, 2), stats, twice: shared.weighted(x, shared.FACTOR) };
}
export function language({ s }: { s: string }) {
  const code = s.startsWith("d") ? "de" : "en";
  return {
    text: `${GREETINGS[code]}, ${s || "you"}`,
    sum: OPERATIONS.add(s.length, 1),
    scaled: OPERATIONS.scale(2, s.length),
  };
}
export function closures({ xs }: { xs: number[] }) {
  let calls = 0;
  const log: string[] = [];
  const bump = (x: number): number => {
    calls += 1;
    log.push(`${x}`);
    return x * calls;
  };
  function twice(f: (x: number) => number, x: number): number {
    return f(f(x));
  }
  const out = xs.map((x) => bump(x));
  return { out, calls, log, twice: twice((y) => y + calls, 1), again: xs.map(bump) };
}
export function shadowed({ xs, x }: { xs: number[]; x: number }) {
  const out: number[] = [];
  for (const x of xs) {
    const y = x + 1;
    {
      const y = x * 2;
      out.push(y);
    }
    out.push(y);
  }
  if (x > 0) {
    const len = x;
    const out = [len];
    return { out };
  }
  return { out };
}
export function keywords({ from, str }: { from: number; str: string }) {
  const is = from + 1;
  const list = [is];
  const None = str.length;
  let lambda = `${None}`;
  for (const len of list) lambda += len;
  const dict = { class: lambda, pass: is };
  return { lambda, dict, number: Number(str), cut: str.slice(from) };
}
export function nestedLoops({ xs, n }: { xs: number[][]; n: number }) {
  let found = "";
  for (const [i, row] of xs.entries()) {
    for (let j = 0; j < row.length; j++) {
      if (row[j] === n) {
        found = `${i},${j}`;
        break;
      }
      if (j > 3) continue;
      found += ".";
    }
    if (found.includes(",")) break;
  }
  return { found };
}
export function defaults({ s }: { s: string }) {
  const greet = (name: string, mark = "!", times?: number): string => `${name}${mark.repeat(times ?? 1)}`;
  const [first = "none", second, ...rest] = s.split(",");
  const total = (...values: number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    out: [greet(s), greet(s, "?"), greet(s, "-", 3)],
    first,
    second: second ?? "none",
    rest,
    total: total(1, 2, ...rest.map((x) => x.length)),
  };
}
export function assignments({ a, s }: { a: number; s: string }) {
  let x: number | undefined;
  x ??= a;
  let t = s;
  t ||= "empty";
  let u = s;
  u &&= `${u}!`;
  const box = { n: a, list: [1, 2, 3] };
  box.n += 1;
  box.n++;
  box.list[1] = a;
  const [p, q] = [a, box.list[0] ?? 0];
  return { x, t, u, box, sum: p + q };
}
export function logic({ a, s, flag }: { a: number; s: string; flag: boolean }) {
  const both = flag && a > 0;
  const either = s || (flag ? "yes" : "no");
  const list = flag ? [a] : undefined;
  return {
    both,
    either,
    none: !s && !flag,
    list: list ?? [],
    first: list?.[0] ?? "-",
    not: !(a > 0),
    size: list ? list.length : -1,
  };
}
export function parsing({ s }: { s: string }) {
  const tokens: string[] = [];
  let at = 0;
  while (at < s.length) {
    const c = s[at] ?? "";
    if (c >= "0" && c <= "9") {
      let end = at;
      while (end < s.length && s[end]! >= "0" && s[end]! <= "9") end++;
      tokens.push(s.slice(at, end));
      at = end;
    } else {
      if (c !== " ") tokens.push(c);
      at++;
    }
  }
  return { tokens };
}
export function kindsOf({ v, w }: { v: string | number; w: string | string[] }) {
  const text = typeof v === "string" ? v.toUpperCase() : v.toFixed(1);
  const list = Array.isArray(w) ? w : [w];
  return { text, list, kind: typeof v === "number", length: typeof w === "string" ? w.length : -w.length };
}
export function tricky({ xs, s, n, flag }: { xs: number[]; s: string; n: number; flag: boolean }) {
  let count = 0;
  const next = (): number => {
    count++;
    return count;
  };
  const pair = [next(), next()].map((x) => x * 10);
  const picked = flag ? next() : -next();
  const all = xs.map((x, i) => {
    if (x < 0) return "negative";
    const label = i % 2 === 0 ? "even" : "odd";
    return `${label} ${x}`;
  });
  const nested = xs.map((x) => xs.filter((y) => y > x).map((y) => `${x}<${y}`).length);
  let last = "";
  xs.forEach((x, i) => {
    if (x === n) return;
    last += `${i}`;
  });
  const chosen = (s.length > 2 ? s : undefined)?.slice(1) ?? "short";
  const deep = { a: { b: { c: [s, s.length] as [string, number] } } };
  const {
    a: {
      b: {
        c: [text, size],
      },
    },
  } = deep;
  const double = !!s;
  const not = !xs.length;
  const truth = [Boolean(s), !!n, !!xs, double, not];
  const void_ = xs.every((x) => !Number.isNaN(x)) ? "numbers" : "some NaN";
  return {
    count,
    pair,
    picked,
    all,
    nested,
    last,
    chosen,
    text,
    size,
    truth,
    void_,
    none: [] as string[],
    list: [...(flag ? [1] : []), ...[2]],
  };
}
export function scopes({ xs, n }: { xs: number[]; n: number }) {
  const fs: ((x: number) => number)[] = [];
  const k = n;
  fs.push((x) => x + k);
  fs.push((x) => {
    const k = 2;
    return x * k;
  });
  let total = 0;
  for (const f of fs) total += f(1);
  let i = 10;
  for (let i = 0; i < 3; i++) total += i;
  i -= 1;
  while (true) {
    i--;
    if (i < 5) break;
    else continue;
  }
  const inner = (depth: number): number => (depth <= 0 ? 0 : depth + inner(depth - 1));
  return { total, i, sum: inner(4), xs: xs.map((i) => i + 1), count: xs.filter((_, i) => i > 0).length };
}
export function stringsAndNumbers({ a, b, s }: { a: number; b: number; s: string }) {
  const list: (string | number | null | undefined)[] = [a, s, null, undefined, b];
  const text = `${list.length}${a}${s}${true}${null}${undefined}`;
  const big = 9007199254740991;
  const out = [big + 1, big * 2, big - a, 0.1 + 0.2, 1e21, -0, 5 % -3, -5 % 3, 2 ** 31, 0xff, 1_000_000];
  return {
    text,
    joined: list.join(),
    out,
    minus: -a,
    half: a / 2,
    three: 7 / 2,
    rest: 7 % 3,
    cmp: a < b ? "<" : a > b ? ">" : "=",
  };
}
