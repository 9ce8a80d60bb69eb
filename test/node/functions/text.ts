import type { Case } from "./case.ts";
import { strings } from "./rows.ts";

/** RFC 4180. */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  let [cell, quoted] = ["", false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') cell += text[at++];
      else quoted = false;
    } else if (char === '"' && cell === "") quoted = true;
    else if (char === "," || char === "\n") {
      rows.at(-1)?.push(cell.replace(/\r$/, ""));
      cell = "";
      if (char === "\n") rows.push([]);
    } else cell += char;
  }
  if (quoted) throw new SyntaxError(`the quote of row ${rows.length} is open`);
  rows.at(-1)?.push(cell);
  return rows;
};

const toCsv = (rows: readonly Record<string, unknown>[]): string => {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown): string => {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows.map((row) => header.map((name) => row[name]))]
    .map((line) => line.map(cell).join(","))
    .join("\r\n");
};

const INLINE: readonly [RegExp, string][] = [
  [/`([^`]+)`/g, "<code>$1</code>"],
  [/\*\*(.+?)\*\*/g, "<strong>$1</strong>"],
  [/(?<!\w)_(.+?)_(?!\w)/g, "<em>$1</em>"],
  [/\[([^\]]*)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>'],
];

const markdown = (text: string): string => {
  const out: string[] = [];
  let list = false;
  for (const line of text.split(/\r?\n/)) {
    const html = INLINE.reduce(
      (made, [pattern, by]) => made.replace(pattern, by),
      line.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    );
    const [, marks, title] = /^(#{1,6})\s+(.*)$/.exec(html) ?? [];
    const [, item] = /^[-*]\s+(.*)$/.exec(html) ?? [];
    if (list !== (item !== undefined)) out.push(list ? "</ul>" : "<ul>");
    list = item !== undefined;
    if (marks !== undefined) out.push(`<h${marks.length}>${title}</h${marks.length}>`);
    else if (item !== undefined) out.push(`<li>${item}</li>`);
    else if (html.trim() !== "") out.push(`<p>${html}</p>`);
  }
  return [...out, ...(list ? ["</ul>"] : [])].join("\n");
};

const editDistance = ([a, b]: [string, string]): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++)
      current[j] = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    previous = current;
  }
  return previous[b.length] ?? 0;
};

const jaroWinkler = ([a, b]: [string, string]): number => {
  const range = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const used = new Set<number>();
  const matches = [...a].flatMap((char, i) => {
    for (let j = Math.max(0, i - range); j <= Math.min(b.length - 1, i + range); j++)
      if (b[j] === char && !used.has(j)) {
        used.add(j);
        return [char];
      }
    return [];
  });
  if (matches.length === 0) return 0;
  const others = [...used].toSorted((x, y) => x - y).map((j) => b[j]);
  const moved = matches.filter((char, at) => char !== others[at]).length / 2;
  const m = matches.length;
  const jaro = (m / a.length + m / b.length + (m - moved) / m) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix++;
  return jaro + prefix * 0.1 * (1 - jaro);
};

const ngrams = ({ text, n }: { text: string; n: number }): unknown => {
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`n is ${n}`);
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const counts = new Map<string, number>();
  for (let at = 0; at + n <= words.length; at++) {
    const gram = words.slice(at, at + n).join(" ");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b, "en")).slice(0, 20);
};

const chunks = ({ text, size, overlap }: { text: string; size: number; overlap: number }): unknown => {
  if (overlap >= size) throw new RangeError(`an overlap of ${overlap} in chunks of ${size}`);
  const words = text.split(/\s+/).filter((word) => word !== "");
  const made: { start: number; text: string }[] = [];
  for (let start = 0; start < words.length; start += size - overlap) {
    made.push({ start, text: words.slice(start, start + size).join(" ") });
    if (start + size >= words.length) break;
  }
  return made.slice(0, 100);
};

const ABBREVIATIONS = new Set(["dr", "mr", "mrs", "e.g", "i.e", "z.b", "no"]);

const sentences = (text: string): string[] => {
  const found: string[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/[.!?。]+["”)]*(?=\s|$)/g)) {
    const before = /(\S+)$/.exec(text.slice(start, index))?.[1]?.toLowerCase() ?? "";
    if (ABBREVIATIONS.has(before)) continue;
    found.push(text.slice(start, index + end.length).trim());
    start = index + end.length;
  }
  return [...found, text.slice(start).trim()].filter(Boolean);
};

class Scanner {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }
  take(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
  fail(wanted: string): never {
    throw new SyntaxError(
      `wanted ${wanted} at ${this.#at}, got ${JSON.stringify(this.#text.slice(this.#at, this.#at + 1))}`,
    );
  }
  get isDone(): boolean {
    return this.#at === this.#text.length;
  }
}

const precedences: Readonly<Record<string, readonly [number, (a: number, b: number) => number]>> = {
  "+": [1, (a, b) => a + b],
  "-": [1, (a, b) => a - b],
  "*": [2, (a, b) => a * b],
  "/": [2, (a, b) => a / b],
  "^": [3, (a, b) => a ** b],
};

const calculator = (text: string): number => {
  const scanner = new Scanner(text.replaceAll(/\s+/g, ""));
  const primary = (): number => {
    if (scanner.take(/-/) !== undefined) return -primary();
    if (scanner.take(/\(/) !== undefined) {
      const inside = expression(0);
      return scanner.take(/\)/) === undefined ? scanner.fail(")") : inside;
    }
    return Number(scanner.take(/\d+(?:\.\d+)?/) ?? scanner.fail("a number"));
  };
  const expression = (least: number): number => {
    let left = primary();
    for (;;) {
      const operator = Object.keys(precedences).find(
        (one) => (precedences[one]?.[0] ?? 0) > least && scanner.take(new RegExp(`\\${one}`)) !== undefined,
      );
      if (operator === undefined) return left;
      const [precedence, apply] = precedences[operator]!;
      left = apply(left, expression(precedence));
    }
  };
  const value = expression(0);
  return scanner.isDone ? value : scanner.fail("the end");
};

const soundex = (word: string): string => {
  const codes: Readonly<Record<string, string>> = Object.fromEntries(
    ["bfpv", "cgjkqsxz", "dt", "l", "mn", "r"].flatMap((letters, at) =>
      [...letters].map((letter) => [letter, `${at + 1}`]),
    ),
  );
  const [first, ...rest] = word.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (first === undefined) throw new TypeError("a word without letters");
  let [code, last] = [first.toUpperCase(), codes[first]];
  for (const letter of rest) {
    const next = codes[letter];
    if (next !== undefined && next !== last) code += next;
    if (letter !== "h" && letter !== "w") last = next;
  }
  return code.padEnd(4, "0").slice(0, 4);
};

const wordPieces = ({ word, vocabulary }: { word: string; vocabulary: string[] }): string[] => {
  const known = new Set(vocabulary);
  const pieces: string[] = [];
  let rest = word;
  while (rest !== "") {
    const prefix = pieces.length === 0 ? "" : "##";
    let end = rest.length;
    while (end > 0 && !known.has(prefix + rest.slice(0, end))) end--;
    if (end === 0) return ["[UNK]"];
    pieces.push(prefix + rest.slice(0, end));
    rest = rest.slice(end);
  }
  return pieces;
};

const bytePairs = ({ word, merges }: { word: string; merges: [string, string][] }): string[] => {
  const ranks = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
  const parts = [...word];
  for (;;) {
    let best = { at: -1, rank: Infinity };
    for (let at = 0; at + 1 < parts.length; at++) {
      const rank = ranks.get(`${parts[at]} ${parts[at + 1]}`);
      if (rank !== undefined && rank < best.rank) best = { at, rank };
    }
    if (best.at < 0) return parts.slice(0, 60);
    parts.splice(best.at, 2, parts.slice(best.at, best.at + 2).join(""));
  }
};

const frontMatter = (text: string): unknown => {
  const [, head, body] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(text) ?? [];
  if (head === undefined) return { body: text };
  const fields = head.split("\n").map((line, at) => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new SyntaxError(`line ${at + 2}: ${line}`);
    const value = line.slice(colon + 1).trim();
    return [
      line.slice(0, colon),
      /^(?:true|false|null|-?\d+(\.\d+)?)$/.test(value) ? (JSON.parse(value) as unknown) : value,
    ] as const;
  });
  return { ...Object.fromEntries(fields), body };
};

const pairsOf = (list: readonly string[]): [string, string][] =>
  list.map((one, at) => [one.slice(0, 200), (list[at + 1] ?? "").slice(0, 150)]);

export const cases: readonly Case[] = [
  { name: "parseCsv", run: parseCsv, rows: [...strings, 'a,"b ""c""",\r\n1,"x\ny",', '"open', ",,\n\n"] },
  {
    name: "toCsv",
    run: toCsv,
    rows: [
      [
        { a: 1, b: "x,y" },
        { b: 'say "hi"', c: [1, { d: null }] },
      ],
      [],
      [{}],
      [JSON.parse('{"__proto__": "p", "toString": 1}')],
      [null],
      {},
      "ab",
    ],
  },
  {
    name: "markdown",
    run: markdown,
    rows: [
      ...strings,
      "# Title **bold**\n\n- one `code`\n- two _em_ [x](http://y)\n\ntext & <tag>",
      "####### seven",
    ],
  },
  {
    name: "editDistance",
    run: editDistance,
    rows: [...pairsOf(strings), ["kitten", "sitting"], ["a"], null],
  },
  {
    name: "jaroWinkler",
    run: jaroWinkler,
    rows: [...pairsOf(strings), ["MARTHA", "MARHTA"], ["DIXON", "DICKSONX"], [5, 6]],
  },
  {
    name: "ngrams",
    run: ngrams,
    rows: [
      ...strings.map((text) => ({ text, n: 2 })),
      { text: "a b", n: 0 },
      { text: "a b", n: 1.5 },
      { text: "a", n: "1" },
      { n: 1 },
    ],
  },
  {
    name: "chunks",
    run: chunks,
    rows: [
      ...strings.slice(0, 21).map((text) => ({ text, size: 4, overlap: 1 })),
      { text: "a b c", size: 2, overlap: 2 },
      { text: "a b c", size: 2, overlap: -1 },
      { text: "a b", size: "2", overlap: "0" },
      null,
    ],
  },
  {
    name: "sentences",
    run: sentences,
    rows: [...strings, 'Dr. No said "Stop." Then, e.g. this! Was it 3.5? Yes.) End'],
  },
  {
    name: "calculator",
    run: calculator,
    rows: [
      "1 + 2 * 3",
      "-(2 ^ 3) ^ 2 / 7",
      "2 ^ 0.5",
      "1 / 0",
      "(1",
      "1 +",
      "",
      "1 2 + x",
      "((((((1))))))",
      `${"(".repeat(100)}1${")".repeat(100)}`,
      "9".repeat(400),
      null,
    ],
  },
  { name: "soundex", run: soundex, rows: [...strings, "Robert", "Rupert", "Tymczak", "Pfister"] },
  {
    name: "wordPieces",
    run: wordPieces,
    rows: [
      { word: "unaffable", vocabulary: ["un", "##aff", "##able"] },
      { word: "😀é", vocabulary: ["😀"] },
      { word: "", vocabulary: [] },
      { word: "aaaa".repeat(200), vocabulary: ["a", "##aa", "##a"] },
      { word: "x" },
      { vocabulary: ["a"] },
      { word: "a", vocabulary: 5 },
    ],
  },
  {
    name: "bytePairs",
    run: bytePairs,
    rows: [
      {
        word: "lower",
        merges: [
          ["l", "o"],
          ["lo", "w"],
          ["e", "r"],
          ["low", "er"],
        ],
      },
      { word: "a😀a", merges: [["a", "😀"]] },
      { word: "", merges: [] },
      {
        word: "ab".repeat(100),
        merges: [
          ["a", "b"],
          ["ab", "ab"],
        ],
      },
      { word: "ab", merges: [null] },
      { word: null, merges: [] },
    ],
  },
  {
    name: "frontMatter",
    run: frontMatter,
    rows: [
      ...strings.slice(0, 5),
      "---\ntitle: A: b\ndraft: true\nn: -1.5\n---\nBody",
      "---\nbroken\n---\n",
      "---\n__proto__: 1\n---\n",
      "---\nn: 01\n---",
      null,
    ],
  },
];
