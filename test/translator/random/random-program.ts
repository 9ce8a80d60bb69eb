import { pick, type Random, upTo } from "../hostile.ts";
import { everydayLoop, everydayPreamble } from "./everyday-productions.ts";
import { type Kind, leaves, productions, typeOf } from "./productions.ts";

/** How often each construct has been generated. */
export type Hits = Map<string, number>;

/** A random well-typed function whose loops end. */
export interface RandomProgram {
  readonly text: string;
  /** Constructs that it covers. */
  readonly shows: readonly string[];
}

/** Names and helpers that all programs may use. */
export const preamble = `
interface Item { readonly label: string; readonly n: number }
const LABELS = ["O", "B-PER", "I-PER"];
const scale = (x: number, by: number): number => x * by + 1;
function twice(text: string): string {
  return text.length > 20 ? text : text + text;
}
${everydayPreamble}`;

export const parameterType =
  "{ n: number; m: number; s: string; t: string; yes: boolean; big: bigint; ns: number[]; ss: string[]; items: Item[] }";
const inputs: readonly Variable[] = [
  ["n", "N"],
  ["m", "N"],
  ["s", "S"],
  ["t", "S"],
  ["yes", "B"],
  ["big", "G"],
  ["ns", "NS"],
  ["ss", "SS"],
  ["items", "RS"],
];

export const inputNames: readonly string[] = inputs.map(([name]) => name);

type Variable = readonly [name: string, kind: Kind];

/** Generates a program, preferring constructs that have been generated less often. */
export const randomProgram = (name: string, random: Random, hits: Hits): RandomProgram => {
  const shows: string[] = [];
  let made = 0;
  const fresh = (prefix: string): string => `${prefix}${++made}`;
  const show = (construct: string): void => void shows.push(construct);

  const choose = <T extends readonly [name: string, ...rest: unknown[]]>(options: readonly T[]): T => {
    const some = [pick(random, options), pick(random, options), pick(random, options)];
    const chosen = some.reduce((a, b) => ((hits.get(b[0]) ?? 0) < (hits.get(a[0]) ?? 0) ? b : a));
    hits.set(chosen[0], (hits.get(chosen[0]) ?? 0) + 1);
    show(chosen[0]);
    return chosen;
  };

  const expression = (kind: Kind, scope: readonly Variable[], depth: number): string => {
    const held = scope.filter(([, of]) => of === kind || (kind === "N" && of === "I"));
    if (depth <= 0 || random() < 0.15)
      return held.length > 0 && random() < 0.75 ? pick(random, held)[0] : pick(random, leaves[kind]);
    const [, template] = choose(productions[kind]);
    return fill(template, scope, depth - 1);
  };

  const fill = (template: string, scope: readonly Variable[], depth: number): string =>
    template.replaceAll(/\{([A-Z]+)(?:>([A-Z]+))?\}/g, (_, from: string, to: string | undefined) => {
      if (to === undefined) return expression(from as Kind, scope, depth);
      const kinds: readonly Kind[] = from === "NN" ? ["N", "N"] : from === "NI" ? ["N", "I"] : [from as Kind];
      const parameters = kinds.map((kind) => [fresh("p"), kind] as const);
      const body = expression(to as Kind, [...scope, ...parameters, ...parameters], depth - 1);
      return `(${parameters.map(([parameter]) => parameter).join(", ")}) => ${body}`;
    });

  const declare = (kind: Kind, scope: readonly Variable[], keyword: string): readonly [string, Variable] => {
    const variable = fresh(kind.toLowerCase());
    return [`${keyword} ${variable}: ${typeOf[kind]} = ${expression(kind, scope, 3)};`, [variable, kind]];
  };

  /** Statements, one per line; they may assign to the variables in `changing`. */
  const block = (
    scope: readonly Variable[],
    changing: readonly Variable[],
    depth: number,
  ): readonly string[] => {
    const lines: string[] = [];
    let [here, mayChange] = [scope, changing];
    for (let left = 1 + upTo(random, depth > 1 ? 3 : 1); left > 0; left--) {
      const [, write] = choose(statements);
      const made = write(here, mayChange, depth);
      lines.push(...made.lines);
      here = [...here, ...(made.declared ?? [])];
      mayChange = [...mayChange, ...(made.variable ?? [])];
    }
    return lines;
  };
  const inner = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

  interface Made {
    readonly lines: readonly string[];
    readonly declared?: readonly Variable[];
    readonly variable?: readonly Variable[];
  }
  type Statement = readonly [
    name: string,
    write: (scope: readonly Variable[], changing: readonly Variable[], depth: number) => Made,
  ];
  const numbersOf = (changing: readonly Variable[]): readonly string[] =>
    changing.filter(([, kind]) => kind === "N").map(([variable]) => variable);

  const statements: readonly Statement[] = [
    [
      "const",
      (scope) => {
        const [line, variable] = declare(
          pick(random, ["N", "S", "B", "NS", "SS", "R", "RS", "G", "M", "E", "NU", "SU"]),
          scope,
          "const",
        );
        return { lines: [line], declared: [variable] };
      },
    ],
    [
      "let",
      (scope) => {
        const [line, variable] = declare(pick(random, ["N", "N", "B"]), scope, "let");
        return { lines: [line], declared: [variable], variable: [variable] };
      },
    ],
    [
      "assignment",
      (scope, changing) => {
        const targets = changing.filter(([, kind]) => kind === "N" || kind === "B");
        if (targets.length === 0) return { lines: [] };
        const [variable, kind] = pick(random, targets);
        return { lines: [`${variable} = ${expression(kind, scope, 2)};`] };
      },
    ],
    ["+=", (scope, changing) => compound("+=", scope, changing)],
    ["-=", (scope, changing) => compound("-=", scope, changing)],
    ["*=", (scope, changing) => compound("*=", scope, changing)],
    ["/=", (scope, changing) => compound("/=", scope, changing)],
    ["%=", (scope, changing) => compound("%=", scope, changing)],
    ["|=", (scope, changing) => compound("|=", scope, changing)],
    [
      "++",
      (_, changing) => {
        const targets = numbersOf(changing);
        return {
          lines: targets.length === 0 ? [] : [`${pick(random, targets)}${pick(random, ["++", "--"])};`],
        };
      },
    ],
    [
      "swap",
      (_, changing) => {
        const [a, b] = numbersOf(changing);
        return { lines: a === undefined || b === undefined ? [] : [`[${a}, ${b}] = [${b}, ${a} + ${b}];`] };
      },
    ],
    [
      "if",
      (scope, changing, depth) => ({
        lines: [`if (${condition(scope)}) {`, ...inner(nested(scope, changing, depth)), "}"],
      }),
    ],
    [
      "if else",
      (scope, changing, depth) => ({
        lines: [
          `if (${condition(scope)}) {`,
          ...inner(nested(scope, changing, depth)),
          "} else {",
          ...inner(nested(scope, changing, depth)),
          "}",
        ],
      }),
    ],
    [
      "early return",
      (scope) => ({
        lines: [
          `if (${condition(scope)}) return { early: ${expression(pick(random, ["N", "S", "NS"]), scope, 1)} };`,
        ],
      }),
    ],
    [
      "for…of",
      (scope, changing, depth) => {
        const kind = pick<"N" | "S" | "R">(random, ["N", "S", "R"]);
        const variable = fresh("each");
        const list = expression(`${kind}S` as Kind, scope, 1);
        return {
          lines: [
            `for (const ${variable} of ${list}) {`,
            ...inner(nested([...scope, [variable, kind], [variable, kind]], changing, depth)),
            "}",
          ],
        };
      },
    ],
    [
      "for…of a set that a call returns",
      (scope, changing, depth) => {
        const variable = fresh("each");
        const body = inner(nested([...scope, [variable, "N"]], changing, depth));
        return { lines: everydayLoop(`uniqueOf(${expression("NS", scope, 1)})`, variable, body) };
      },
    ],
    [
      "for…of a map that a call returns",
      (scope, changing, depth) => {
        const [key, count] = [fresh("key"), fresh("count")];
        const body = inner(nested([...scope, [key, "S"], [count, "N"]], changing, depth));
        return {
          lines: everydayLoop(`tallyOf(${expression("SS", scope, 1)})`, `[${key}, ${count}]`, body),
        };
      },
    ],
    [
      "for…of a text",
      (scope, changing, depth) => {
        const variable = fresh("c");
        return {
          lines: [
            `for (const ${variable} of ${expression("S", scope, 1)}) {`,
            ...inner(nested([...scope, [variable, "S"]], changing, depth)),
            "}",
          ],
        };
      },
    ],
    [
      "for…of entries",
      (scope, changing, depth) => {
        const [at, item] = [fresh("at"), fresh("item")];
        return {
          lines: [
            `for (const [${at}, ${item}] of ${expression("NS", scope, 1)}.entries()) {`,
            ...inner(nested([...scope, [at, "I"], [item, "N"]], changing, depth)),
            "}",
          ],
        };
      },
    ],
    [
      "for",
      (scope, changing, depth) => {
        const variable = fresh("i");
        const bound = pick(random, ["4", "ns.length", "s.length", "ss.length - 1"]);
        const skips =
          random() < 0.3
            ? [`if (${condition([...scope, [variable, "I"]])}) ${pick(random, ["continue", "break"])};`]
            : [];
        return {
          lines: [
            `for (let ${variable} = ${pick(random, ["0", "1"])}; ${variable} < ${bound}; ${variable}${pick(random, ["++", " += 2"])}) {`,
            ...inner([...skips, ...nested([...scope, [variable, "I"], [variable, "I"]], changing, depth)]),
            "}",
          ],
        };
      },
    ],
    [
      "while",
      (scope, changing, depth) => {
        const count = fresh("count");
        return {
          lines: [
            `let ${count} = 0;`,
            `while (${count} < 5 && ${condition(scope)}) {`,
            ...inner([`${count}++;`, ...nested([...scope, [count, "I"]], changing, depth)]),
            "}",
          ],
          declared: [[count, "I"]],
        };
      },
    ],
    [
      "switch",
      (scope, changing, depth) => ({
        lines: [
          `switch (${expression("I", scope, 1)} % 3) {`,
          "  case 0:",
          ...inner(inner(nested(scope, changing, depth))).slice(0, 0),
          "  case 1: {",
          ...inner(inner(nested(scope, changing, depth))),
          "    break;",
          "  }",
          "  default: {",
          ...inner(inner(nested(scope, changing, depth))),
          "  }",
          "}",
        ],
      }),
    ],
    [
      "push",
      (scope) => {
        const list = fresh("list");
        const item = fresh("x");
        return {
          lines: [
            `const ${list}: number[] = [];`,
            `for (const ${item} of ${expression("NS", scope, 1)}) {`,
            `  if (${expression("B", [...scope, [item, "N"]], 1)}) ${list}.push(${expression("N", [...scope, [item, "N"]], 2)});`,
            "}",
          ],
          declared: [[list, "NS"]],
        };
      },
    ],
    [
      "array changes",
      (scope) => {
        const list = fresh("list");
        const change = pick(random, [
          "pop();",
          "shift();",
          "reverse();",
          "unshift(1, 2);",
          "splice(1, 1);",
          "splice(0, 2, 5);",
          "sort((a, b) => a - b);",
        ]);
        return {
          lines: [`const ${list}: number[] = [...${expression("NS", scope, 1)}];`, `${list}.${change}`],
          declared: [[list, "NS"]],
        };
      },
    ],
    [
      "element assignment",
      (scope) => {
        const list = fresh("list");
        const index = fresh("i");
        return {
          lines: [
            `const ${list}: number[] = [...${expression("NS", scope, 1)}];`,
            `for (let ${index} = 0; ${index} < ${list}.length; ${index}++) ${list}[${index}] = ${expression("N", [...scope, [index, "I"], [list, "NS"]], 2)};`,
          ],
          declared: [[list, "NS"]],
        };
      },
    ],
    [
      "Map.set",
      (scope) => {
        const [map, word] = [fresh("map"), fresh("word")];
        return {
          lines: [
            `const ${map} = new Map<string, number>();`,
            `for (const ${word} of ${expression("SS", scope, 1)}) ${map}.set(${word}, (${map}.get(${word}) ?? 0) + ${expression("N", [...scope, [word, "S"]], 1)});`,
          ],
          declared: [[map, "M"]],
        };
      },
    ],
    [
      "Set.add",
      (scope) => {
        const [set, item] = [fresh("set"), fresh("x")];
        return {
          lines: [
            `const ${set} = new Set<number>();`,
            `for (const ${item} of ${expression("NS", scope, 1)}) {`,
            `  if (${set}.has(${item})) continue;`,
            `  ${set}.add(${expression("N", [...scope, [item, "N"]], 1)});`,
            "}",
          ],
          declared: [[set, "E"]],
        };
      },
    ],
    [
      "destructuring",
      (scope) => {
        const [label, count] = [fresh("label"), fresh("n")];
        return {
          lines: [`const { label: ${label}, n: ${count} } = ${expression("R", scope, 1)};`],
          declared: [
            [label, "S"],
            [count, "N"],
          ],
        };
      },
    ],
    [
      "list destructuring",
      (scope) => {
        const [first, second, rest] = [fresh("first"), fresh("second"), fresh("rest")];
        return {
          lines: [`const [${first} = 1, ${second} = 2, ...${rest}] = ${expression("NS", scope, 1)};`],
          declared: [
            [first, "N"],
            [second, "N"],
            [rest, "NS"],
          ],
        };
      },
    ],
    [
      "closure",
      (scope) => {
        const [helper, parameter] = [fresh("helper"), fresh("p")];
        const result = fresh("n");
        return {
          lines: [
            `const ${helper} = (${parameter}: number): number => ${expression("N", [...scope, [parameter, "N"]], 2)};`,
            `const ${result}: number = ${helper}(${expression("N", scope, 1)}) + ${helper}(1);`,
          ],
          declared: [[result, "N"]],
        };
      },
    ],
    [
      "try",
      (scope, changing, depth) => ({
        lines: [
          "try {",
          ...inner([
            ...nested(scope, changing, depth),
            `if (${condition(scope)}) throw new Error(\`no: \${${expression("N", scope, 1)}}\`);`,
          ]),
          "} catch {",
          ...inner(nested(scope, changing, depth)),
          "}",
        ],
      }),
    ],
    [
      "throw",
      (scope) => ({
        lines: [
          `if (${condition(scope)} && ${condition(scope)}) throw new RangeError(${expression("S", scope, 1)});`,
        ],
      }),
    ],
  ];
  const compound = (operator: string, scope: readonly Variable[], changing: readonly Variable[]): Made => {
    const targets = numbersOf(changing);
    return {
      lines:
        targets.length === 0 ? [] : [`${pick(random, targets)} ${operator} ${expression("N", scope, 2)};`],
    };
  };
  const condition = (scope: readonly Variable[]): string =>
    random() < 0.75 ? expression("B", scope, 2) : expression(pick(random, ["N", "S", "NU", "SU"]), scope, 1);
  const nested = (
    scope: readonly Variable[],
    changing: readonly Variable[],
    depth: number,
  ): readonly string[] =>
    depth <= 0 ? [declare("N", scope, "const")[0]] : block(scope, changing, depth - 1);

  const lines: string[] = [];
  let scope: readonly Variable[] = inputs;
  let changing: readonly Variable[] = [];
  const length = 2 + upTo(random, 4);
  for (let at = 0; at < length; at++) {
    const [, write] = choose(statements);
    const made = write(scope, changing, 2);
    lines.push(...made.lines);
    scope = [...scope, ...(made.declared ?? [])];
    changing = [...changing, ...(made.variable ?? [])];
  }
  const results = (["N", "S", "B", "NS", "J"] as const).map(
    (kind, at) => `o${at}: ${expression(kind, scope, 2)}`,
  );
  const kept = changing.map(([variable]) => variable);
  const body = [...lines, `return { ${[...results, ...kept].join(", ")} };`];
  const parameter = `{ ${inputNames.join(", ")} }: ${parameterType}`;
  return {
    text: `export const ${name} = (${parameter}) => {\n${body.map((line) => `  ${line}`).join("\n")}\n};`,
    shows,
  };
};
