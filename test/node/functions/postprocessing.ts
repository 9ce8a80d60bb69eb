import type { Case } from "./case.ts";

const softmax = (logits: readonly number[]): number[] => {
  const top = Math.max(...logits);
  const exps = logits.map((x) => Math.exp(x - top));
  const sum = exps.reduce((a, b) => a + b, 0);
  return exps.map((x) => x / sum);
};

interface Scores {
  readonly logits: number[];
  readonly labels: string[];
}

const classify = ({ logits, labels }: Scores): unknown => {
  if (logits.length !== labels.length)
    throw new RangeError(`${logits.length} logits for ${labels.length} labels`);
  return softmax(logits)
    .map((score, at) => ({ label: labels[at], score }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3);
};

const multiLabel = ({ logits, labels, threshold = 0.5 }: Scores & { threshold?: number }): unknown =>
  logits.flatMap((x, at) => {
    const score = 1 / (1 + Math.exp(-x));
    return score >= threshold ? [{ [labels[at] ?? `label ${at}`]: Number(score.toFixed(4)) }] : [];
  });

const argmax = (rows: number[][]): number[] =>
  rows.map((row) => row.reduce((best, x, at) => (x > (row[best] ?? -Infinity) ? at : best), 0));

const topK = ({ scores, k }: { scores: number[]; k: number }): unknown => {
  const heap: [number, number][] = [];
  for (const [at, score] of scores.entries()) {
    heap.push([score, at]);
    heap.sort(([a, i], [b, j]) => b - a || i - j);
    heap.length = Math.min(heap.length, k);
  }
  return heap;
};

type Box = readonly [x1: number, y1: number, x2: number, y2: number];

const area = ([x1, y1, x2, y2]: Box): number => Math.max(0, x2 - x1) * Math.max(0, y2 - y1);

const overlap = (a: Box, b: Box): number => {
  const shared = area([
    Math.max(a[0], b[0]),
    Math.max(a[1], b[1]),
    Math.min(a[2], b[2]),
    Math.min(a[3], b[3]),
  ]);
  return shared / (area(a) + area(b) - shared);
};

/** Non-maximum suppression. */
const suppress = ({ boxes, scores, limit }: { boxes: Box[]; scores: number[]; limit: number }): unknown => {
  const order = scores.map((_, at) => at).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const kept: number[] = [];
  for (const at of order) {
    const box = boxes[at];
    if (box === undefined) throw new RangeError(`score ${at} has no box`);
    if (kept.every((other) => !(overlap(boxes[other]!, box) > limit))) kept.push(at);
  }
  return kept;
};

interface Span {
  type: string;
  start: number;
  end: number;
}

/** Spans of B-, I- and O-labels. */
const spans = (labels: string[]): Span[] => {
  const found: Span[] = [];
  for (const [at, label] of labels.entries()) {
    const [prefix, type = ""] = label.split("-", 2);
    const last = found.at(-1);
    if (prefix === "I" && last?.end === at && last.type === type) last.end++;
    else if (prefix === "B" || prefix === "I") found.push({ type, start: at, end: at + 1 });
    else if (prefix !== "O") throw new SyntaxError(`the label ${JSON.stringify(label)} of token ${at}`);
  }
  return found;
};

/** The best path through a table of scores. */
const viterbi = ({
  emissions,
  transitions,
}: {
  emissions: number[][];
  transitions: number[][];
}): number[] => {
  let scores = emissions[0] ?? [];
  const back: number[][] = [];
  for (const row of emissions.slice(1)) {
    const from: number[] = [];
    scores = row.map((emission, to) => {
      let [best, at] = [-Infinity, 0];
      for (const [i, score] of scores.entries()) {
        const sum = score + transitions[i]![to]!;
        if (sum > best) [best, at] = [sum, i];
      }
      from.push(at);
      return best + emission;
    });
    back.push(from);
  }
  const path = [scores.indexOf(Math.max(...scores))];
  for (const from of back.toReversed()) path.unshift(from[path[0] ?? 0] ?? 0);
  return path;
};

const answerSpan = ({
  starts,
  ends,
  longest,
}: {
  starts: number[];
  ends: number[];
  longest: number;
}): unknown => {
  let best = { start: 0, end: 0, score: -Infinity };
  for (let start = 0; start < starts.length; start++)
    for (let end = start; end < Math.min(ends.length, start + longest); end++) {
      const score = (starts[start] ?? 0) + (ends[end] ?? 0);
      if (score > best.score) best = { start, end, score };
    }
  if (best.score === -Infinity) throw new Error("no answer");
  return best;
};

const calibrated = ({
  scores,
  temperature,
  bins,
}: {
  scores: number[];
  temperature: number;
  bins: number;
}): unknown => {
  const scaled = scores.map((p) => 1 / (1 + Math.exp(-Math.log(p / (1 - p)) / temperature)));
  const counts = new Uint32Array(bins);
  for (const p of scaled) counts[Math.min(bins - 1, Math.floor(p * bins))]!++;
  return { scaled: scaled.map(String), counts: [...counts] };
};

const cosine = ([a, b]: [number[], number[]]): number => {
  if (a.length !== b.length) throw new RangeError(`${a.length} ≠ ${b.length}`);
  const dot = (x: number[], y: number[]): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0);
  return dot(a, b) / (Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b)));
};

/** Greedy CTC decoding. */
const ctc = ({ frames, alphabet, blank }: { frames: number[]; alphabet: string; blank: number }): string =>
  frames
    .filter((id, at) => id !== blank && id !== frames[at - 1])
    .map((id) => [...alphabet][id] ?? "\ufffd")
    .join("");

const fused = (rankings: string[][]): unknown => {
  const scores: Record<string, number> = {};
  for (const ranking of rankings)
    for (const [at, id] of ranking.entries()) scores[id] = (scores[id] ?? 0) + 1 / (60 + at + 1);
  return Object.entries(scores).toSorted(([, a], [, b]) => b - a);
};

const confusion = ({ wanted, got }: { wanted: string[]; got: string[] }): unknown => {
  const labels = [...new Set([...wanted, ...got])].toSorted();
  const f1 = labels.map((label) => {
    const hits = wanted.filter((one, at) => one === label && got[at] === label).length;
    const [precision, recall] = [
      hits / got.filter((one) => one === label).length,
      hits / wanted.filter((one) => one === label).length,
    ];
    return [label, (2 * precision * recall) / (precision + recall) || 0];
  });
  return Object.fromEntries(f1) as unknown;
};

const many = Array.from({ length: 400 }, (_, at) => ((at * 7919) % 1009) / 100 - 5);
const logits = [
  [2, 1, 0.1],
  [],
  [0],
  [1000, -1000, 999.5],
  [-1e308, 1e308],
  many,
  ["3", null],
  [null, "x"],
  "12",
  null,
];

export const cases: readonly Case[] = [
  { name: "softmax", run: softmax, rows: logits },
  {
    name: "classify",
    run: classify,
    rows: [
      { logits: [1, 3, 2, 0], labels: ["a", "b", "c", "__proto__"] },
      { logits: [1], labels: [] },
      { logits: [], labels: [] },
      { logits: [1, 1], labels: ["x", "y"] },
      { logits: "12", labels: "ab" },
      {},
    ],
  },
  {
    name: "multiLabel",
    run: multiLabel,
    rows: [
      { logits: [-1, 0, 5], labels: ["a", "b", "__proto__"] },
      { logits: [1], labels: [], threshold: 0.9 },
      { logits: [1e9, -1e9], labels: ["x", "y"], threshold: null },
      { logits: [] },
      { logits: [5] },
    ],
  },
  {
    name: "argmax",
    run: argmax,
    rows: [[[1, 3, 2], [0, 0], []], [], [many], [["b", "a"]], [[null]], [5], [null], null],
  },
  {
    name: "topK",
    run: topK,
    rows: [
      { scores: many, k: 5 },
      { scores: [1, 1, 1], k: 2 },
      { scores: [], k: 3 },
      { scores: [1], k: -1 },
      { scores: [1, 2], k: 1.5 },
      { scores: [1], k: null },
      { k: 1 },
    ],
  },
  {
    name: "suppress",
    run: suppress,
    rows: [
      {
        boxes: [
          [0, 0, 10, 10],
          [1, 1, 11, 11],
          [20, 20, 30, 30],
        ],
        scores: [0.9, 0.8, 0.7],
        limit: 0.5,
      },
      { boxes: [], scores: [], limit: 0.5 },
      {
        boxes: [
          [0, 0, 0, 0],
          [0, 0, 0, 0],
        ],
        scores: [1, 1],
        limit: 0.1,
      },
      { boxes: [[0, 0, 1, 1]], scores: [1, 2], limit: 1 },
      { boxes: [null], scores: [1], limit: 1 },
      {
        boxes: [
          [5, 5, 1, 1],
          [0, 0, 1e308, 1e308],
        ],
        scores: [null, 1],
        limit: 0,
      },
    ],
  },
  {
    name: "spans",
    run: spans,
    rows: [
      ["B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-PER"],
      [],
      ["I-X", "I-X", "I-"],
      ["O", "E-X"],
      ["B-__proto__-x"],
      [""],
      [null],
      null,
    ],
  },
  {
    name: "viterbi",
    run: viterbi,
    rows: [
      {
        emissions: [
          [1, 0],
          [0, 2],
          [1, 1],
        ],
        transitions: [
          [0.5, -1],
          [0, 1],
        ],
      },
      { emissions: [[1, 2]], transitions: [] },
      { emissions: [], transitions: [] },
      {
        emissions: [
          [1, 2],
          [3, 4],
        ],
        transitions: [[1, 1]],
      },
      {
        emissions: [
          [-1e308, 1e308],
          [1, 1],
        ],
        transitions: [
          [0, 0],
          [1e308, 0],
        ],
      },
      {},
    ],
  },
  {
    name: "answerSpan",
    run: answerSpan,
    rows: [
      { starts: [0, 3, 1], ends: [5, 0, 2], longest: 2 },
      { starts: [], ends: [], longest: 3 },
      { starts: many, ends: many.toReversed(), longest: 15 },
      { starts: [1], ends: [1], longest: 0 },
      { starts: ["a"], ends: [1], longest: 1 },
      null,
    ],
  },
  {
    name: "calibrated",
    run: calibrated,
    rows: [
      { scores: [0.1, 0.5, 0.99, 0, 1], temperature: 1.7, bins: 4 },
      { scores: [], temperature: 1, bins: 0 },
      { scores: [0.3], temperature: 0, bins: 2 },
      { scores: [2, -1], temperature: 1, bins: 3 },
      { scores: [0.5], temperature: 1, bins: -1 },
      { scores: [0.5], temperature: 1, bins: 1.5 },
      {},
    ],
  },
  {
    name: "cosine",
    run: cosine,
    rows: [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      [[0], [0]],
      [[], []],
      [[1], [1, 2]],
      [many, many.toReversed()],
      [[1e200], [1e200]],
      [["a"], [1]],
      [[1]],
      null,
    ],
  },
  {
    name: "ctc",
    run: ctc,
    rows: [
      { frames: [0, 1, 1, 0, 1, 2, 2], alphabet: "-ab", blank: 0 },
      { frames: [1, 5, -1], alphabet: "😀é", blank: 0 },
      { frames: [], alphabet: "", blank: 0 },
      { frames: [1], alphabet: null, blank: 0 },
      { alphabet: "a" },
    ],
  },
  {
    name: "fused",
    run: fused,
    rows: [
      [
        ["a", "b", "c"],
        ["b", "d"],
      ],
      [],
      [[]],
      [["__proto__", "toString", "x"]],
      ["ab"],
      [null],
      [[null, 1]],
    ],
  },
  {
    name: "confusion",
    run: confusion,
    rows: [
      { wanted: ["a", "b", "a"], got: ["a", "a", "b"] },
      { wanted: [], got: [] },
      { wanted: ["x"], got: [] },
      { wanted: ["__proto__", "10", "9"], got: ["__proto__", "9", "10"] },
      { wanted: [null], got: [1] },
      { wanted: "ab", got: "ab" },
      {},
    ],
  },
];
