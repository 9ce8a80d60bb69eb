import { makeProject } from "./projects.mjs";

/** A project with many functions: in files by subject, plus two files that several of them import. */
const names = [
  "orders",
  "users",
  "reviews",
  "tickets",
  "articles",
  "events",
  "products",
  "messages",
  "reports",
  "devices",
];

/** Kinds of steps: n is unique in the project, so that no two functions have the same source. */
const kinds = [
  (n) => ({
    inputs: 'text: bytes("batch", 1)',
    outputs: 'text: bytes("batch", 1)',
    run: `({ text }) => {
    const short = clean(text).slice(0, ${40 + n});
    if (short === "") throw new RangeError("the text is empty");
    return { text: \`\${short.toLowerCase()} #${n}\` };
  }`,
  }),
  (n) => ({
    before: `interface Rated${n} {
  readonly label: string;
  readonly score: number;
}
const labels${n} = new Map([["LABEL_0", "low"], ["LABEL_1", "middle"], ["LABEL_2", "top ${n}"]]);`,
    inputs: 'label: bytes("batch", 1), score: fp32("batch", 1)',
    outputs: `answer: json<Rated${n}>()`,
    run: `({ label, score }) => ({ answer: { label: labels${n}.get(label) ?? "unknown", score: rounded(score, ${n % 5}) } })`,
  }),
  (n) => ({
    inputs: 'scores: fp32("batch", "classes")',
    outputs: 'best: int32("batch", 1), score: fp32("batch", 1)',
    run: `({ scores }) => {
    const exact = shares(Array.from(scores, (score) => score / ${1 + (n % 3)}));
    let best = 0;
    for (const [index, score] of exact.entries()) if (score > (exact[best] ?? 0)) best = index;
    return { best, score: exact[best] ?? 0 };
  }`,
  }),
  (n) => ({
    before: `interface Word${n} {
  readonly word: string;
  readonly count: number;
}`,
    inputs: 'text: bytes("batch", 1)',
    outputs: `words: json<Word${n}[]>()`,
    run: `({ text }) => {
    const counts = new Map<string, number>();
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const words = [...counts].map(([word, count]) => ({ word, count }));
    words.sort((a, b) => b.count - a.count);
    return { words: words.slice(0, ${3 + n}) };
  }`,
  }),
  (n) => ({
    before: `interface Entry${n} {
  readonly id: string;
  readonly tags: string[];
  readonly price?: number;
}`,
    inputs: `entry: json<Entry${n}>()`,
    outputs: 'line: bytes("batch", 1)',
    run: `({ entry }) => {
    const price = entry.price === undefined ? "free" : \`\${entry.price.toFixed(2)} EUR\`;
    return { line: [entry.id.padStart(${4 + n}, "0"), price, ...entry.tags.map((tag) => tag.toUpperCase())].join(" | ") };
  }`,
  }),
  (n) => ({
    inputs: 'values: fp64("batch", "n")',
    outputs: 'mean: fp64("batch", 1), spread: fp64("batch", 1)',
    run: `({ values }) => {
    const all = [...values];
    const mean = average(all);
    const spread = Math.sqrt(average(all.map((value) => (value - mean) ** 2)));
    return { mean: rounded(mean, ${n % 4}), spread };
  }`,
  }),
  (n) => ({
    inputs: 'text: bytes("batch", 1)',
    outputs: 'slug: bytes("batch", 1)',
    run: `({ text }) => {
    const slug = text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "");
    return { slug: slug === "" ? "item-${n}" : slug };
  }`,
  }),
  (n) => ({
    inputs: 'text: bytes("batch", 1), tags: int32("batch", "words")',
    outputs: 'found: bytes("batch", "spans")',
    before: `const names${n} = ["O", "PER", "LOC", "ORG"];`,
    run: `({ text, tags }) => {
    const found: string[] = [];
    for (const [index, word] of text.split(" ").entries()) {
      const name = names${n}[tags[index] ?? 0] ?? "O";
      if (name === "O" || word.length < ${1 + (n % 3)}) continue;
      found.push(\`\${name}: \${word}\`);
    }
    return { found };
  }`,
  }),
  (n) => ({
    inputs: 'code: bytes("batch", 1), amount: fp64("batch", 1)',
    outputs: 'amount: fp64("batch", 1)',
    run: `({ code, amount }) => {
    switch (code.trim().toUpperCase()) {
      case "EUR":
        return { amount };
      case "USD":
        return { amount: rounded(amount / 1.${10 + (n % 80)}, 2) };
      case "CHF":
        return { amount: rounded(amount * 1.0${1 + (n % 9)}, 2) };
      default:
        throw new RangeError(\`unknown currency \${code}\`);
    }
  }`,
  }),
  (n) => ({
    before: `interface Point${n} {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}`,
    inputs: `points: json<Point${n}[]>(), x: fp64("batch", 1), y: fp64("batch", 1)`,
    outputs: `near: json<string[]>()`,
    run: `({ points, x, y }) => {
    const near = points
      .map((point) => ({ name: point.name, distance: Math.sqrt((point.x - x) ** 2 + (point.y - y) ** 2) }))
      .filter(({ distance }) => distance < ${10 + n})
      .toSorted((a, b) => a.distance - b.distance);
    return { near: near.map(({ name }) => name) };
  }`,
  }),
  (n) => ({
    inputs: 'date: bytes("batch", 1)',
    outputs: 'year: int32("batch", 1), month: int32("batch", 1), day: int32("batch", 1)',
    run: `({ date }) => {
    const found = /^(\\d{4})-(\\d{2})-(\\d{2})$/.exec(date.trim());
    if (found === null) return { year: ${1900 + n}, month: 1, day: 1 };
    return { year: Number(found[1]), month: Number(found[2]), day: Number(found[3]) };
  }`,
  }),
  (n) => ({
    before: `const stopWords${n} = new Set(["the", "a", "of", "and", "word${n}"]);`,
    inputs: 'text: bytes("batch", 1)',
    outputs: 'keywords: bytes("batch", "keywords"), count: int32("batch", 1)',
    run: `({ text }) => {
    const keywords = [...new Set(wordsOf(text).filter((word) => word.length > 2 && !stopWords${n}.has(word)))];
    keywords.sort();
    return { keywords, count: keywords.length };
  }`,
  }),
  (n) => ({
    before: `interface Reading${n} {
  readonly sensor: string;
  readonly value: number | null;
}
interface Summary${n} {
  readonly sensors: Record<string, number>;
  readonly missing: number;
}`,
    inputs: `readings: json<Reading${n}[]>()`,
    outputs: `summary: json<Summary${n}>()`,
    run: `({ readings }) => {
    const sensors: Record<string, number> = {};
    let missing = 0;
    for (const { sensor, value } of readings) {
      if (value === null) {
        missing += 1;
        continue;
      }
      const known = sensors[sensor] ?? -Infinity;
      sensors[sensor] = Math.max(known, rounded(value, ${n % 6}));
    }
    return { summary: { sensors, missing } };
  }`,
  }),
  (n) => ({
    inputs: 'query: bytes("batch", 1), title: bytes("batch", 1)',
    outputs: 'score: fp32("batch", 1)',
    run: `({ query, title }) => {
    const wanted = new Set(wordsOf(query));
    const given = wordsOf(title);
    const both = given.filter((word) => wanted.has(word)).length;
    const score = given.length + wanted.size === 0 ? 0 : (2 * both) / (given.length + wanted.size);
    return { score: score * ${1 + (n % 2)} };
  }`,
  }),
];

const text = `/** Text without tags and without repeated white space. */
export const clean = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\\s+/g, " ")
    .trim();

export const wordsOf = (text: string): string[] =>
  clean(text)
    .toLowerCase()
    .split(/[^a-z0-9']+/)
    .filter((word) => word !== "");
`;

const numbers = `export const rounded = (value: number, digits: number): number => {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
};

export const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Shares of the sum; all equal if it is 0. */
export const shares = (values: readonly number[]): number[] => {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => (sum === 0 ? 1 / values.length : value / sum));
};
`;

const subjectFile = (subject, at, count) => {
  const steps = Array.from({ length: count }, (_, i) => {
    const n = at * count + i;
    const { before, inputs, outputs, run } = kinds[n % kinds.length](n);
    const name = `${subject}_${i}`;
    return {
      name,
      inputs,
      outputs,
      text: `${before === undefined ? "" : `${before}\n`}export const ${name} = step({
  name: "${name}",
  inputs: { ${inputs} },
  outputs: { ${outputs} },
  run: ${run},
});
`,
    };
  });
  const ensembles = steps.map(({ name, inputs, outputs }) => {
    const ins = namesOf(inputs);
    return `export const ${name}_alone = defineEnsemble({
  name: "${name}_alone",
  maxBatchSize: 16,
  inputs: { ${inputs} },
  run({ ${ins.join(", ")} }) {
    const made = ${name}({ ${ins.join(", ")} });
    return { ${namesOf(outputs)
      .map((output) => `${output}_out: made.${output}`)
      .join(", ")} };
  },
});
`;
  });
  return `import { bytes, defineEnsemble, fp32, fp64, int32, json, step } from "tritype";
import { average, rounded, shares } from "../lib/numbers.ts";
import { clean, wordsOf } from "../lib/text.ts";

${steps.map((step) => step.text).join("\n")}
${ensembles.join("\n")}`;
};

const namesOf = (signature) => [...signature.matchAll(/(\w+): /g)].map(([, name]) => name);

/** A project with `each` function steps in each of its `files`, and an ensemble of each step. */
export const makeFunctionProject = (each = 14, files = 10) => {
  const subjects = Array.from(
    { length: files },
    (_, at) => `${names[at % names.length]}${at < names.length ? "" : at}`,
  );
  return makeProject({
    "pipeline.config.ts": 'import { defineConfig } from "tritype";\nexport default defineConfig({});\n',
    "pipeline.ts": subjects.map((subject) => `export * from "./steps/${subject}.ts";\n`).join(""),
    "tsconfig.json": `${JSON.stringify({ compilerOptions: { strict: true, target: "es2023", module: "nodenext", allowImportingTsExtensions: true, noEmit: true } }, null, 2)}\n`,
    "lib/text.ts": text,
    "lib/numbers.ts": numbers,
    ...Object.fromEntries(
      subjects.map((subject, at) => [`steps/${subject}.ts`, subjectFile(subject, at, each)]),
    ),
  });
};
