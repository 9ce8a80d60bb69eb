import { pick, type Random, upTo } from "../hostile.ts";
import type { WrittenFunction } from "../translate-functions.ts";
import { hostileNames } from "./hostile-names.ts";

/**
 * A random function that uses records which do not exactly match their type, hostile names, stored functions and errors
 * of the engine.
 */
export interface LooseProgram extends WrittenFunction {
  /** Constructs that it covers. */
  readonly shows: readonly string[];
}
/** Programs of one module, with the code before them. */
export interface LooseModule {
  readonly preamble: string;
  readonly functions: readonly LooseProgram[];
}

const types = `
interface Loose { a: number; b?: string; c?: number | null; d: string | null; e?: { x: number; y?: number[] } | null }
type Event = { kind: "start"; at: number } | { kind: "stop"; why?: string; at: number } | { kind: "text"; text: string | null };
type Binary = (a: number, b: number) => number;
`;
const parameterType =
  "{ n: number; m: number; s: string; t: string; yes: boolean; ns: number[]; ss: string[]; docs: Loose[]; events: Event[] }";
const inputs = "{ n, m, s, t, yes, ns, ss, docs, events }";

/** A type of the module with optional properties. */
interface Shape {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly isText: boolean; readonly optional: boolean }[];
}

const shapeOf = (name: string, random: Random): Shape => ({
  name,
  fields: shuffled(["p", "q", "r", "u", "w", "z"], random)
    .slice(0, 2 + upTo(random, 3))
    .map((field) => ({ name: field, isText: random() < 0.4, optional: random() < 0.5 })),
});

const declarationOf = ({ name, fields }: Shape): string =>
  `interface ${name} { ${fields.map((it) => `${it.name}${it.optional ? "?" : ""}: ${it.isText ? "string" : "number"}`).join("; ")} }`;

/** A name of the module, and the expression that prints its value as JSON text. */
interface Given {
  readonly declaration: string;
  readonly use: string;
}

const givenOf = (name: string, random: Random): Given => {
  const makers: readonly Given[] = [
    { declaration: `const ${name} = ${upTo(random, 9)};`, use: `${name} + n` },
    { declaration: `const ${name} = new Set(["a", "b"]);`, use: `${name}.has(s)` },
    { declaration: `const ${name} = (x: number): number => x + 1;`, use: `ns.map(${name})` },
    { declaration: `function ${name}(text: string): string { return text + "!"; }`, use: `${name}(t)` },
    {
      declaration: `function ${name}(): number { return 7; }`,
      use: `([${name}] as Binary[]).map((f) => f(n, m))`,
    },
    {
      declaration: `const ${name}: Record<string, Binary> = { add: (a, b) => a + b, first: (a) => a, none: () => 0 };`,
      use: `["add", "first", "none"].map((k) => ${name}[k]!(n, m))`,
    },
  ];
  return pick(random, makers);
};

export const looseModule = (count: number, random: Random): LooseModule => {
  const names = shuffled(hostileNames, random);
  const [ofModule, ofFunctions] = [names.slice(0, 24), names.slice(24)];
  const given = ofModule.map((name) => givenOf(name, random));
  // One type per program: a record that does not exactly match its type affects the translation wherever the type is used.
  const shapes = Array.from({ length: count }, (_, at) => shapeOf(`Shape${at}`, random));
  return {
    preamble: `${types}${shapes.map(declarationOf).join("\n")}\n${given.map(({ declaration }) => declaration).join("\n")}\n`,
    functions: shapes.map((shape, at) =>
      looseProgram(`f${at}`, random, { given, shape, locals: ofFunctions }),
    ),
  };
};

const shuffled = <T>(items: readonly T[], random: Random): readonly T[] =>
  items
    .map((item) => [random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);

const looseProgram = (
  name: string,
  random: Random,
  {
    given,
    shape,
    locals,
  }: {
    readonly given: readonly Given[];
    readonly shape: Shape;
    readonly locals: readonly string[];
  },
): LooseProgram => {
  const names = [...shuffled(locals, random)];
  const write: Write = { random, shape, local: () => names.pop() ?? "last" };
  const chosen = Array.from({ length: 1 + upTo(random, 4) }, () => pick(random, statements));
  const uses = Array.from({ length: 4 }, () => pick(random, given).use);
  const lines = [
    "const out: string[] = [];",
    ...chosen.flatMap(([, make]) => make(write)).map(asJson),
    `return { out, ${uses.map((use, at) => `u${at}: ${use}`).join(", ")} };`,
  ];
  if (random() < 0.05) {
    const alone = uses.map((use) =>
      use
        .replaceAll(/\b[nm]\b/g, "2")
        .replaceAll(/\b[st]\b/g, '"a"')
        .replaceAll(/\bns\b/g, "[1, 2]"),
    );
    const method = `run() { return { ${alone.map((use, at) => `u${at}: ${use}`).join(", ")} }; }`;
    return {
      name,
      text: `export const ${name} = { ${method} }.run;`,
      method,
      shows: ["a method without parameters"],
    };
  }
  const parameter = `(${inputs}: ${parameterType})`;
  const shows = ["names of the module", ...chosen.map(([construct]) => construct)];
  return random() < 0.2
    ? {
        name,
        text: `export const ${name} = { run${parameter} { ${lines.join(" ")} } }.run;`,
        method: `run${parameter} { ${lines.join(" ")} }`,
        shows: [...shows, "a method as run"],
      }
    : { name, text: `export const ${name} = ${parameter} => {\n  ${lines.join("\n  ")}\n};`, shows };
};

/** `out.push(a ¦ b);` with the values as JSON. */
const asJson = (line: string): string =>
  line.replaceAll(/out\.push\((.*?)\);/g, (_, values: string) => {
    const texts = values.split(" ¦ ").map((value) => `JSON.stringify(${value})`);
    return `out.push(${texts.join(", ")});`;
  });

interface Write {
  readonly random: Random;
  readonly shape: Shape;
  /** A name that is unique in the function. */
  readonly local: () => string;
}
type Statement = readonly [construct: string, make: (write: Write) => readonly string[]];

const numberOf = ({ random }: Write): string =>
  pick(random, ["n", "m", "ns.length", "2", "0.5", "-1", "(ns[0] ?? 3)", "s.length"]);
const textOf = ({ random }: Write): string => pick(random, ["s", "t", '"a"', '"x,y"', '(ss[0] ?? "")']);

/** A literal of a record of type Loose. */
const looseOf = (write: Write): string => {
  const [n, s] = [numberOf(write), textOf(write)];
  return pick(write.random, [
    `{ a: ${n}, d: ${s} }`,
    `{ a: ${n}, b: ${s}, d: null }`,
    `{ d: ${s}, c: null, a: ${n} }`,
    `{ a: ${n}, d: null, e: { x: ${n} } }`,
    `{ a: ${n}, b: ${s}, c: ${n}, d: ${s}, e: { x: 1, y: [${n}] } }`,
    `{ a: ${n}, b: undefined, d: ${s}, e: null }`,
    "(docs[0] ?? { a: 0, d: null })",
    `{ ...(docs[1] ?? { a: 1, d: "q" }), b: ${s} }`,
    `(yes ? { a: ${n}, d: ${s} } : { a: ${n}, c: ${n}, d: null })`,
  ]);
};

/** A record of a type, with some of its optional properties and some properties that the type does not have. */
const wideRecordOf = ({ fields }: Shape, write: Write): string => {
  const { random } = write;
  const own = fields
    .filter(({ optional }) => !optional || random() < 0.4)
    .map(({ name, isText }) => `${name}: ${isText ? textOf(write) : numberOf(write)}`);
  const more = ["k1", "k2", "k3"]
    .slice(upTo(random, 3))
    .map((name) => `${name}: ${random() < 0.4 ? textOf(write) : numberOf(write)}`);
  const all = [...own, ...more];
  return `{ ${(random() < 0.5 ? all : shuffled(all, random)).join(", ")} }`;
};

const eventOf = (write: Write): string => {
  const [n, s] = [numberOf(write), textOf(write)];
  return pick(write.random, [
    `{ kind: "start", at: ${n} }`,
    `{ at: ${n}, kind: "stop" }`,
    `{ kind: "stop", why: ${s}, at: ${n} }`,
    `{ kind: "text", text: ${s} }`,
    `{ kind: "text", text: null }`,
  ]);
};

/** Code that may throw, as statements that add to `out`. */
const thrownBy = (write: Write): string => {
  const [n, s] = [numberOf(write), textOf(write)];
  const doc = pick(write.random, ["docs[0]!", "docs[1]!", `docs[${n}]!`]);
  return pick(write.random, [
    `out.push(${doc}.e!.x);`,
    `out.push(${doc}.e!.y!.length);`,
    `out.push(${doc}.e!.y![0]!.toFixed(1));`,
    `out.push(${doc}.c!.toString());`,
    `out.push(${doc}.b!.trim());`,
    `out.push(${doc}.d!.replace(/a/g, "-"));`,
    `out.push(${doc}.d!.split(""));`,
    `out.push([...${doc}.e!.y!, 1]);`,
    `for (const y of ${doc}.e!.y!) out.push(y);`,
    `out.push(${doc}.e!.y!.map((y) => y * 2));`,
    `out.push(${doc}.e!.y!.includes(1));`,
    `out.push(${doc}.e!.y!.at(-1) ?? null);`,
    `const { x, y = [] } = ${doc}.e!; out.push(x ¦ y);`,
    `out.push({ ...${doc}.e! });`,
    `const kept: Record<string, Binary> = { f: (a) => a }; out.push(kept[${s}]!(1, 2));`,
    // Excludes counts that give megabytes of text, which only take time.
    `out.push(s.repeat(Math.abs(${n}) < 2 ** 29 ? ${n} % 4096 : ${n}));`,
    `out.push((${n}).toFixed(${n}));`,
    `out.push(String(BigInt(${n})));`,
    `out.push(String(BigInt(${s})));`,
    `out.push(String(7n / BigInt(ss.length)));`,
    `out.push(JSON.parse("[1]" + ${s}) as number[]);`,
    `out.push(String.fromCodePoint(${n}));`,
    `out.push(ns.reduce((a, b) => a + b));`,
    `if (yes) throw new RangeError(${s}); out.push("whole");`,
    `out.push(ss[${n}]!.length);`,
    `out.push(ss[${n}]!.toUpperCase().slice(1));`,
  ]);
};

const handlers: readonly string[] = [
  'out.push(e instanceof TypeError ? "type" : e instanceof RangeError ? (e as Error).message : (e as Error).name);',
  "out.push((e as Error).name);",
  "out.push(e instanceof Error); if (e instanceof RangeError) out.push((e as Error).message);",
];

const statements: readonly Statement[] = [
  [
    "optional and nullable properties",
    (write) => {
      const record = write.local();
      return [`const ${record}: Loose = ${looseOf(write)};`, `out.push(${record} ¦ Object.keys(${record}));`];
    },
  ],
  [
    "records of one type with other properties",
    (write) => {
      const records = write.local();
      return [
        `const ${records}: Loose[] = [${looseOf(write)}, ${looseOf(write)}, ...docs];`,
        `out.push(${records} ¦ ${records}.map(({ c }) => c ?? null) ¦ ${records}.filter((r) => r.b !== undefined).length);`,
      ];
    },
  ],
  [
    "a record wider than its type",
    (write) => {
      const [wide, narrow, list] = [write.local(), write.local(), write.local()];
      const more = pick(write.random, ["b2: s, ", "", "c2: n, e2: [n], "]);
      return [
        `const ${wide} = { a: ${numberOf(write)}, ${more}d: ${textOf(write)}, z: ${numberOf(write)} };`,
        `const ${narrow}: Loose = ${wide};`,
        `const ${list}: { a: number; d: string | null }[] = [${narrow}, ${looseOf(write)}];`,
        `out.push(${narrow} ¦ ${list});`,
      ];
    },
  ],
  [
    "records of random types, wider or in another order",
    (write) => {
      const { shape } = write;
      const records = write.local();
      const wide = Array.from({ length: 1 + upTo(write.random, 1) }, write.local);
      return [
        ...wide.map((one) => `const ${one} = ${wideRecordOf(shape, write)};`),
        `const ${records}: ${shape.name}[] = [${wide.join(", ")}];`,
        // After a spread, the translator knows that records may have other properties than those written.
        write.random() < 0.2
          ? `out.push(${records}.map((each) => ({ ...each, last: 1 })));`
          : `out.push(${records});`,
      ];
    },
  ],
  [
    "a record in another order",
    (write) => {
      const [record, same] = [write.local(), write.local()];
      return [
        `const ${record} = { d: ${textOf(write)}, a: ${numberOf(write)} };`,
        `const ${same}: { a: number; d: string } = ${record};`,
        `out.push(${same});`,
      ];
    },
  ],
  [
    "changed optional properties",
    (write) => {
      const record = write.local();
      const change = pick(write.random, [
        `delete ${record}.b;`,
        `${record}.c = ${numberOf(write)};`,
        `${record}.e = undefined;`,
        `${record}.b ??= ${textOf(write)};`,
        `${record}.e = { x: ${numberOf(write)} };`,
      ]);
      return [
        `const ${record}: Loose = { ...${looseOf(write)} };`,
        change,
        `out.push(${record} ¦ ${record}.c ?? null);`,
      ];
    },
  ],
  [
    "defaults of optional properties",
    (write) => {
      const [b, c, rest] = [write.local(), write.local(), write.local()];
      const record = write.local();
      return [
        `const ${record}: Loose = ${looseOf(write)};`,
        `const { b: ${b} = "none", c: ${c} = 4, ...${rest} } = ${record};`,
        `out.push(${b} ¦ ${c} ¦ ${rest});`,
      ];
    },
  ],
  [
    "tagged unions",
    (write) => {
      const all = write.local();
      return [
        `const ${all}: Event[] = [${eventOf(write)}, ${eventOf(write)}, ...events];`,
        `for (const each of ${all}) { if (each.kind === "start") out.push(each.at); else if (each.kind === "stop") out.push(each.why ?? "why"); else out.push(each.text?.length ?? -1); }`,
        `out.push(${all} ¦ ${all}.map((each) => (each.kind === "text" ? each.text : each.at)));`,
      ];
    },
  ],
  [
    "one side of a tagged union",
    (write) => {
      const [all, first] = [write.local(), write.local()];
      return [
        `const ${all}: Event[] = [${eventOf(write)}];`,
        `const ${first}: { kind: string } = ${all}[0]!;`,
        `out.push(${first} ¦ { ...${first}, more: ${numberOf(write)} });`,
      ];
    },
  ],
  [
    "functions of fewer parameters",
    (write) => {
      const [list, zero] = [write.local(), write.local()];
      return [
        `const ${zero} = (): number => ${numberOf(write)};`,
        `const ${list}: Binary[] = [${zero}, (a) => a + 1, (a, b) => a - b, (a, b = 2) => a * b];`,
        `out.push(${list}.map((f) => f(n, m)) ¦ ns.reduce((sum) => sum + 1, 0) ¦ ns.map(() => ${zero}()));`,
      ];
    },
  ],
  ["try", (write) => [`try { ${thrownBy(write)} } catch { out.push("caught"); }`]],
  [
    "try with the error",
    (write) => [
      `try { { ${thrownBy(write)} } { ${thrownBy(write)} } } catch (e) { ${pick(write.random, handlers)} }`,
    ],
  ],
  [
    "try and finally",
    (write) => [
      `try { try { ${thrownBy(write)} } finally { out.push("finally"); } } catch (e) { ${pick(write.random, handlers)} }`,
    ],
  ],
  [
    "an error thrown on",
    (write) => [
      `try { try { ${thrownBy(write)} } catch (e) { out.push("first"); throw e; } } catch (again) { out.push((again as Error).name); }`,
    ],
  ],
  [
    "an error in a function",
    (write) => {
      const inner = write.local();
      return [
        `const ${inner} = (at: number): void => { out.push(at); ${thrownBy(write)} };`,
        `for (let round = 0; round < 2; round++) { try { ${inner}(round); } catch (e) { ${pick(write.random, handlers)} } }`,
      ];
    },
  ],
  [
    "local names",
    (write) => {
      const names = Array.from({ length: 6 }, write.local);
      const values = [
        "ns.map((p) => p / 3)",
        "ss.join(s)",
        "[...new Set(ns)]",
        "`${n}-${t}`",
        "Math.max(...ns, 1)",
        "ss.some((p) => p === t)",
        "ns.toSorted((p, q) => p - q)",
        "JSON.stringify(docs)",
        "parseInt(s, 10)",
        "[...s].length",
        "n % 3",
        "Object.keys({ n, s })",
        "s.toUpperCase()",
        "t.padStart(4)",
        "ns.indexOf(n)",
      ];
      return [
        ...names.map((name) => `const ${name} = ${pick(write.random, values)};`),
        `out.push(${names.join(" ¦ ")});`,
      ];
    },
  ],
];

export const looseConstructs: readonly string[] = [
  "names of the module",
  "a method as run",
  "a method without parameters",
  ...statements.map(([construct]) => construct),
];
