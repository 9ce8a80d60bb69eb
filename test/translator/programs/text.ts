const QUOTES = new Map([
  ["“", '"'],
  ["”", '"'],
  ["’", "'"],
]);
const BLANKS = /\s+/g;
const WORD = /[A-Za-z]+(?:'[a-z]+)?/g;

/** Typographic quotes become plain ones. */
export function plainQuotes({ s }: { s: string }) {
  let out = "";
  for (const c of s) out += QUOTES.get(c) ?? c;
  return { out };
}
export function squeeze({ s }: { s: string }) {
  return { out: s.replace(BLANKS, " ").trim(), lines: s.split(/\r?\n/), first: s.search(/\d/) };
}
export function shout({ s, n }: { s: string; n: number }) {
  const loud = s.toUpperCase();
  return {
    out: n > 2 ? `${loud}!` : loud,
    quiet: s.toLowerCase(),
    same: loud === s,
    length: `${s.length}:${n}`,
  };
}
export function parts({ s, a, b }: { s: string; a: number; b: number }) {
  return {
    out: [
      s.slice(a, b),
      s.slice(a),
      s.slice(-3),
      s.slice(1, -1),
      s.substring(b, a),
      s.substring(2),
      s.charAt(a),
      s.at(b) ?? "-",
      s[3] ?? "none",
    ],
  };
}
export function codesOf({ s, n }: { s: string; n: number }) {
  const units: number[] = [];
  for (let i = 0; i < s.length; i++) units.push(s.charCodeAt(i));
  return {
    units,
    points: [...s].map((c) => c.codePointAt(0) ?? -1),
    odd: s.charCodeAt(n),
    made: String.fromCodePoint(128512, 65),
  };
}
export function positions({ s, t }: { s: string; t: string }) {
  return {
    at: [s.indexOf(t), s.lastIndexOf(t), s.indexOf(t, 2)],
    has: [s.includes(t), s.startsWith(t), s.endsWith(t)],
    order: [s < t, s <= t, s > t, s >= t, s === t, s !== t],
  };
}
export function padded({ s, n }: { s: string; n: number }) {
  return {
    out: [s.padStart(12, "*"), s.padEnd(9), s.padStart(n, "ab"), "-".repeat(3), s.concat("|", String(n))],
  };
}
export function trims({ s }: { s: string }) {
  return { out: [s.trim(), s.trimStart(), s.trimEnd(), s.normalize("NFC"), s.normalize("NFKD")] };
}
export function words({ s }: { s: string }) {
  const found = s.match(WORD) ?? [];
  return {
    count: found.length,
    longest: found.reduce((a, b) => (b.length > a.length ? b : a), ""),
    all: s
      .split(" ")
      .map((w) => w.trim())
      .filter((w) => w !== ""),
  };
}
export function masked({ s }: { s: string }) {
  return {
    digits: s.replace(/[0-9]/g, "#"),
    first: s.replace(/[aeiou]/, (v) => v.toUpperCase()),
    swapped: s.replace(/(\w)-(\w)/g, "$2-$1"),
    wrapped: s.replace(/\d+/g, "<$&>"),
    counted: s.replaceAll(/[a-c]/g, (c) => `${c.charCodeAt(0)}`),
    plain: s.replaceAll(".", " . ").replace("a", "A"),
  };
}
export function mails({ s }: { s: string }) {
  const out: string[] = [];
  for (const m of s.matchAll(/(\w+)@(?<host>\w+)(\.com)?/g))
    out.push(`${m[1]} ${m.groups?.["host"]} ${m.index} ${m[3] ?? "other"}`);
  return { out };
}
export function matching({ s }: { s: string }) {
  const m = /^\s*(\d+)\s*-\s*(\d+)/.exec(s);
  if (m === null) return { from: "", to: "", ok: false };
  const [, from = "?", to = "?"] = m;
  return { from, to, ok: /x$/.test(s) };
}
export function bracketed({ s }: { s: string }) {
  let depth = 0;
  let deepest = 0;
  for (const c of s) {
    switch (c) {
      case "(":
      case "[":
        depth++;
        break;
      case ")":
      case "]":
        depth--;
        break;
      default:
        if (depth > deepest) deepest = depth;
    }
    if (depth < 0) return { ok: false, deepest };
  }
  return { ok: depth === 0, deepest };
}
export function escaped({ s }: { s: string }) {
  return {
    json: JSON.stringify(s),
    pretty: JSON.stringify({ s, list: [s, s], none: null, yes: true }, null, 2),
    quoted: `"${s}" \\ {x}`,
  };
}
export function camel({ s }: { s: string }) {
  const [head = "", ...tail] = s.split("_");
  return { out: head + tail.map((w) => w.charAt(0).toUpperCase() + w.slice(1)).join("") };
}
export function hashed({ s }: { s: string }) {
  let h = 2166136261;
  for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 16777619);
  let k = 7;
  for (const c of s) k = (k * 31 + (c.codePointAt(0) ?? 0)) % 1000003;
  return { h: h >>> 0, k, hex: (h >>> 0).toString(16) };
}
export function palindrome({ s }: { s: string }) {
  const t = s.toLowerCase().replace(/[^a-z]/g, "");
  let i = 0;
  let j = t.length - 1;
  while (i < j) {
    if (t[i] !== t[j]) return { yes: false };
    i++;
    j--;
  }
  return { yes: true };
}
export function isoDate({ s }: { s: string }) {
  const found = s.match(/(\d{4})-(\d\d)-(\d\d)/);
  const year = Number(found?.[1] ?? "0");
  const month = found === null ? "" : (["Jan", "Feb", "Mar"][Number(found[2] ?? "1") - 1] ?? "later");
  return { year, month };
}
export function wrapLines({ s, n }: { s: string; n: number }) {
  const width = Math.max(n | 0, 4);
  const lines: string[] = [];
  let line = "";
  for (const word of s.split(" ")) {
    if (line === "") line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line) lines.push(line);
  return { lines };
}
