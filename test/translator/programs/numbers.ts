const LIMITS = { low: -10, high: 10 } as const;
const clamp = (x: number, low: number = LIMITS.low, high: number = LIMITS.high): number =>
  Math.min(Math.max(x, low), high);

export function basics({ a, b }: { a: number; b: number }) {
  return {
    out: [a + b, a - b, a * b, a / b, a % b, -a, +b, a + 1, 2 * a, 1 - b, a / 2, a % 7, 0 - a, a * -1],
    tests: [a < b, a <= b, a > b, a >= b, a === b, a !== b],
  };
}
export function rounded({ a }: { a: number }) {
  return {
    out: [
      Math.floor(a),
      Math.ceil(a),
      Math.round(a),
      Math.trunc(a),
      Math.abs(a),
      Math.sign(a),
      Math.sqrt(a),
      Math.fround(a),
    ],
  };
}
export function extremes({ a, b, xs }: { a: number; b: number; xs: number[] }) {
  return {
    out: [
      Math.max(a, b),
      Math.min(a, b),
      Math.max(...xs),
      Math.min(...xs, a),
      Math.max(a, 0),
      Math.min(1, 2, 3),
      Math.max(),
    ],
  };
}
export function bitwise({ a, b }: { a: number; b: number }) {
  return {
    out: [
      a & b,
      a | b,
      a ^ b,
      ~a,
      a << b,
      a >> b,
      a >>> b,
      a | 0,
      a >>> 0,
      a & 255,
      (a & 15) << 4,
      Math.clz32(a),
      a >> 3,
    ],
  };
}
export function texts({ a }: { a: number }) {
  return {
    out: [
      `${a}`,
      String(a),
      a.toFixed(2),
      a.toFixed(0),
      a.toString(),
      (a * 1e21).toString(),
      `${a / 3}`,
      "" + a,
      a + "!",
    ],
  };
}
export function parsed({ s }: { s: string }) {
  return {
    out: [Number(s), +s, parseInt(s, 10), parseFloat(s), Number.parseInt(s, 16), Number(s.length > 3)],
  };
}
export function tests({ a }: { a: number }) {
  return {
    out: [
      Number.isInteger(a),
      Number.isSafeInteger(a),
      Number.isNaN(a),
      Number.isFinite(a),
      isNaN(a),
      !a,
      a ? true : false,
      Boolean(a),
      a === 0,
    ],
  };
}
export function choices({ a, b }: { a: number; b: number }) {
  const c = a || b;
  const d = a && b;
  return { out: [c, d, a > 0 ? a : -a, a || 5, (a && 1) + 1, clamp(a), clamp(a, 0), clamp(b, -1, 1)] };
}
export function counting({ n }: { n: number }) {
  let steps = 0;
  let odd = 0;
  for (let i = 0; i < n && i < 50; i += 3) {
    if (i % 2 === 0) continue;
    odd += i;
    steps++;
  }
  let down = 0;
  for (let i = 9; i >= 0; i--) down = down * 10 + i;
  let k = 40;
  do {
    k -= 7;
  } while (k > n && k > 0);
  return { steps, odd, down, k };
}
export function fibonacci({ n }: { n: number }) {
  let [a, b] = [0, 1];
  const last = clamp(n, 0, 90) | 0;
  for (let i = 0; i < last; i++) [a, b] = [b, a + b];
  return { a, text: `${a}` };
}
export function euclid({ a, b }: { a: bigint; b: bigint }) {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return { gcd: x, text: `${x}`, number: Number(x) };
}
export function bigs({ a, b }: { a: bigint; b: bigint }) {
  if (b === 0n) return { out: [a], tests: [false], text: "zero" };
  return {
    out: [
      a + b,
      a - b,
      a * b,
      a / b,
      a % b,
      -a,
      a & b,
      a | b,
      BigInt.asIntN(8, a),
      BigInt.asUintN(64, a * b),
      a << 3n,
      BigInt(2 ** 40),
    ],
    tests: [a < b, a === b, a > 5n],
    text: String(a) + b,
  };
}
export function divided({ a, b }: { a: bigint; b: bigint }) {
  try {
    return { out: String(a / b) };
  } catch (error) {
    return { out: error instanceof RangeError ? `no: ${error.message}` : "?" };
  }
}
export function primes({ n }: { n: number }) {
  const limit = Math.min(Math.max(n | 0, 2), 60);
  const sieve = Array.from({ length: limit }, () => true);
  const out: number[] = [];
  for (let i = 2; i < limit; i++) {
    if (sieve[i] !== true) continue;
    out.push(i);
    for (let j = i * i; j < limit; j += i) sieve[j] = false;
  }
  return { out };
}
export function horner({ xs, x }: { xs: number[]; x: number }) {
  let y = 0;
  for (let i = xs.length - 1; i >= 0; i--) y = y * x + xs[i]!;
  return { y, area: Math.PI * x * x, tiny: Number.EPSILON, big: Number.MAX_SAFE_INTEGER };
}
export function collatz({ n }: { n: number }) {
  let x = Math.abs(n) | 0;
  let steps = 0;
  while (x > 1 && steps < 100) {
    x = x % 2 === 0 ? x / 2 : 3 * x + 1;
    steps += 1;
  }
  return { x, steps, half: Math.floor(steps / 2), rest: steps % 3 };
}
export function binary({ n }: { n: number }) {
  let left = n >>> 0;
  let out = "";
  while (left > 0) {
    out = `${left & 1}${out}`;
    left >>>= 1;
  }
  let flags = 0;
  flags |= 4;
  flags ^= n;
  flags &= 0xff;
  flags <<= 2;
  return { out, flags };
}
export function mixedCounters({ xs }: { xs: number[] }) {
  let total = 0;
  let best = 0;
  let seen = 0;
  for (const x of xs) {
    total += x;
    if (x > best) best = x;
    seen++;
  }
  total *= 2;
  total -= 1;
  total /= 4;
  return { total, best, seen, mean: seen === 0 ? 0 : total / seen };
}
