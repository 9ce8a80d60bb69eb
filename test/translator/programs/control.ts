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
