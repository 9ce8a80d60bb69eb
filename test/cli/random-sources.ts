import { pick, type Random, upTo } from "../translator/hostile.ts";

/** A file of a random project: its statements, each with the comments above it. */
export type Statements = readonly string[];

/** Path → statements. */
export type RandomSources = ReadonlyMap<string, Statements>;

/**
 * Files with steps, and the files that they import. Each name is declared in one file, and contains the file's letter.
 */
const stepFiles = ["a", "b", "c", "d", "e", "f"];
const letters = [...stepFiles, "x", "y"];
const pathOf = (letter: string): string => (stepFiles.includes(letter) ? `${letter}.ts` : `lib/${letter}.ts`);

/** Replaces the real package. It has the same names and few types, so that a program takes a tenth of the time. */
export const stub = `export interface Tensor {
  readonly "~node": string;
  readonly dims: readonly number[];
}
export interface Row {
  readonly text: string;
  readonly n: number;
}
export declare const step: (options: {
  readonly name: string;
  readonly run: (row: Row) => { readonly n: number };
}) => unknown;
export declare const tensor: () => Tensor;
`;

export const randomTsconfig = (random: Random): string => {
  const flags = [
    "noUnusedLocals",
    "noUnusedParameters",
    "exactOptionalPropertyTypes",
    "noImplicitReturns",
    "noPropertyAccessFromIndexSignature",
    "isolatedModules",
    "verbatimModuleSyntax",
    "erasableSyntaxOnly",
    "noUncheckedSideEffectImports",
  ];
  const on = flags.filter(() => random() < 0.25).map((flag) => [flag, true] as const);
  const options = {
    strict: random() < 0.8,
    module: "NodeNext",
    allowImportingTsExtensions: true,
    noEmit: true,
    ...(random() < 0.2 ? { allowUnreachableCode: false } : {}),
    ...Object.fromEntries(on),
  };
  return `${JSON.stringify({ compilerOptions: options })}\n`;
};

export const randomSources = (random: Random): RandomSources =>
  new Map(letters.map((letter) => [pathOf(letter), randomFile(random, letter)]));

const randomFile = (random: Random, letter: string): Statements => {
  const isStepFile = stepFiles.includes(letter);
  const importing = newWriter(random, letter, []);
  const imports = letters
    .filter((other) => other !== letter && random() < (stepFiles.includes(other) ? 0.02 : 0.5))
    .map((other) => importing.importOf(other));
  const writer = newWriter(random, letter, imports);
  return [
    'import { step, tensor } from "tritype";',
    ...imports,
    ...namesOf(letter).map((name) => writer.declarationOf(name)),
    ...Array.from({ length: upTo(random, 2) }, () => writer.statement()),
    ...(isStepFile ? Array.from({ length: 2 + upTo(random, 2) }, (_, at) => writer.step(at)) : []),
  ];
};

/** Makes one random edit to one file. */
export const editSources = (random: Random, sources: RandomSources): RandomSources => {
  const letter = pick(random, random() < 0.96 ? stepFiles : letters);
  const path = pathOf(letter);
  const statements = sources.get(path) ?? [];
  return new Map([...sources, [path, editFile(random, letter, statements)]]);
};

const editFile = (random: Random, letter: string, statements: Statements): Statements => {
  const writer = newWriter(random, letter, statements);
  const at = upTo(random, statements.length - 1);
  const without = statements.toSpliced(at, 1);
  const other = upTo(random, without.length);
  const made = random();
  const importedLetter = (): string =>
    pick(random, random() < 0.1 ? [letter] : random() < 0.2 ? stepFiles : ["x", "y"]);
  if (made < 0.45) return statements.with(at, again(writer, statements[at] ?? ""));
  if (made < 0.55) return without.toSpliced(other, 0, statements[at] ?? "");
  if (made < 0.65) return statements.length < 8 ? statements : without;
  if (made < 0.8)
    return statements.toSpliced(
      other,
      0,
      random() < 0.5 ? writer.statement() : writer.declarationOf(pick(random, namesOf(letter))),
    );
  if (made < 0.85) return statements.toSpliced(1, 0, writer.importOf(importedLetter()));
  if (made < 0.9) return statements.with(at, `// A note of ${upTo(random, 9)}.\n${statements[at] ?? ""}`);
  if (made < 0.94) return statements.with(at, `\n\n${statements[at] ?? ""}`);
  if (made < 0.96) return statements.with(at, `${pick(random, pragmas)}\n${statements[at] ?? ""}`);
  return statements.with(at, (statements[at] ?? "").replace(pick(random, pragmas), "//"));
};

const pragmas = ["// @ts-ignore", "// @ts-expect-error", "/* about */"];

/** Rewrites a statement as another one of the same kind. */
const again = (writer: Writer, statement: string): string => {
  const number = /export const s(\d+) = step/.exec(statement)?.[1];
  if (number !== undefined) return writer.step(Number(number));
  const name = /(?:const|let|var|function|class|enum|interface|type|namespace) \[?(\w_\w+)/.exec(
    statement,
  )?.[1];
  return name === undefined ? writer.statement() : writer.declarationOf(name);
};

const namesOf = (letter: string): readonly string[] =>
  ["v0", "v1", "v2", "f0", "f1", "T0", "T1", "E0", "N0", "C0"].map((name) => `${letter}_${name}`);

interface Writer {
  readonly importOf: (letter: string) => string;
  readonly declarationOf: (name: string) => string;
  readonly statement: () => string;
  readonly step: (at: number) => string;
}

/** Writes statements for the file of a letter, which refer to names that are declared or imported there. */
const newWriter = (random: Random, letter: string, statements: Statements): Writer => {
  const isCalm = random() < 0.9;
  const seen = letters.filter((other) =>
    statements.some((text) => text.startsWith("import") && text.includes(`${other}_v0`)),
  );
  const one = (...texts: readonly string[]): string => pick(random, texts);
  const digit = (): string => String(upTo(random, 3));
  const letterOf = (): string => (random() < 0.7 ? letter : pick(random, [letter, ...seen]));
  const value = (): string => `${letterOf()}_v${upTo(random, 2)}`;
  const called = (): string => `${letterOf()}_f${upTo(random, 1)}`;
  const type = (): string => `${letterOf()}_T${upTo(random, 1)}`;
  const named = (kind: string): string => `${letterOf()}_${kind}0`;
  const importOf = (other: string): string => {
    const from = `"${stepFiles.includes(letter) ? "./" : "../"}${pathOf(other)}"`.replace("../lib/", "./");
    const names = namesOf(other).filter(() => random() < 0.95);
    const types = names.filter((name) => name.includes("_T"));
    if (isCalm) return `import { ${names.join(", ")} } from ${from};`;
    return one(
      `import { ${names.join(", ")} } from ${from};`,
      `import { ${names.join(", ")} } from ${from};`,
      `import { ${names.map((name) => (types.includes(name) ? `type ${name}` : name)).join(", ")} } from ${from};`,
      `import { ${names.join(", ")} } from ${from};`,
      `import type { ${names.join(", ")} } from ${from};`,
      `import * as ${other}_all from ${from};`,
      `import ${from};`,
      `export * from ${from};`,
      `import ${other}_all, { ${names.join(", ")} } from ${from};`,
    );
  };
  const texts = ["x", "y", "low", "high"];
  const word = (): string => JSON.stringify(pick(random, texts));
  const narrowing = (): string =>
    one(
      `(asText(${value()}), ${digit()})`,
      `(fail(${digit()}), ${digit()})`,
      `(${called()}(${value()}), ${digit()})`,
      `delete ${value()}.a`,
      `delete (${value()} as { a?: number }).a`,
      `${value()}++`,
      `--${value()}`,
      `(${value()} = ${digit()})`,
      `(${value()} ??= ${word()})`,
      `${value()} === undefined ? 1 : ${value()}`,
      `${value()} && ${value()}`,
      `(() => {\n  if (${value()} === undefined) throw new Error();\n  return ${digit()};\n})()`,
      `(function () {\n  asText(${value()});\n  return ${digit()};\n}).call(undefined)`,
      `${value()}.push(${one(digit(), word())})`,
      `[(asText(${value()}), 1), ${digit()}].length`,
      `{ a: (${value()} = ${word()}) }`,
      `((${value()}))!`,
      `\`\${(asText(${value()}), ${digit()})}\``,
      `[${value()}] = [${digit()}]`,
    );
  const simple = (): string =>
    one(
      digit(),
      digit(),
      `${value()} + ${digit()}`,
      `${called()}(${word()})`,
      `${digit()} > ${value()} ? ${digit()} : ${value()}`,
      `Number(${word()})`,
      `Math.max(${value()}, ${digit()})`,
    );
  const wildValue = (): string =>
    one(
      digit(),
      digit(),
      word(),
      `[${digit()}, ${digit()}]`,
      `{ a: ${digit()}, b: ${word()} }`,
      `env(${word()})`,
      `${called()}(${word()})`,
      value(),
      `${value()} + ${digit()}`,
      `(text: string) => text.length + ${value()}`,
      `[${word()}, ${word()}] as const`,
      `new Map([[${word()}, ${digit()}]])`,
      `${named("E")}.A`,
      `${value()} as ${type()}`,
      `tensor()`,
      `() => ${called()}(${word()})`,
      `new ${named("C")}()`,
      `${value()}.a`,
      narrowing(),
      narrowing(),
    );
  const initializer = (): string => (isCalm ? simple() : wildValue());
  const declaredType = (): string =>
    one(
      "number",
      "string",
      "string | undefined",
      "number | string",
      '"high" | "low"',
      '"x" | "y"',
      type(),
      "any[]",
    );
  const extra = (): string => `const ${letter}_more${upTo(random, 9)} = ${initializer()};`;
  const statement = (): string => (isCalm ? extra() : wildStatement());
  const wildStatement = (): string =>
    one(
      `if (${value()} === undefined) throw new Error();`,
      `if (typeof ${value()} !== "string") throw new Error();`,
      `asText(${value()});`,
      `${called()}(${value()});`,
      `${value()}.push(${one(digit(), word())});`,
      `${value()} = ${one(digit(), word())};`,
      `${narrowing()};`,
      `for (const one of [1, 2]) if (one > ${value()}) break;`,
      `export { ${value()} as renamed${digit()} };`,
      `export default ${value()};`,
      `declare global {\n  interface Shared {\n    readonly a: ${one("number", "string")};\n  }\n}`,
      `declare module "./lib/x.ts" {\n  interface x_T0 {\n    readonly extra: ${one("number", "string")};\n  }\n}`,
      `type ${letter}_T${digit()} = import("./lib/x.ts").x_T0;`,
      `const later = async (): Promise<unknown> => import("./lib/y.ts");`,
      `namespace ${letter}_C0 {\n  export const more = ${digit()};\n}`,
      `{\n  const ${letter}_v0 = ${digit()};\n}`,
      `switch (${value()}) {\n  case ${digit()}:\n    break;\n}`,
      `var late: ${type()};`,
      `if (tensor()) asText(${value()});`,
      "export {};",
    );
  const functionNamed = (name: string): string => {
    const returned = one(
      `text.length + ${value()}`,
      `${called()}(text)`,
      `${called()}(text) + ${digit()}`,
      value(),
      `Number(${value()})`,
      `text === "" ? ${value()} : ${digit()}`,
      `${word()} as ${declaredType()}`,
      `text === "x" ? ${word()} : ${word()}`,
    );
    if (isCalm)
      return one(
        `const ${name} = (text: string) => text.length + ${simple()};`,
        `const ${name} = (text: string): number => text.length + ${simple()};`,
        `function ${name}(text: string) {\n  return text.length + ${simple()};\n}`,
        `function ${name}(text: string): number {\n  const own = ${simple()};\n  return own + text.length;\n}`,
        `const ${name} = (text: string) => (text === ${word()} ? ${digit()} : ${digit()});`,
      );
    return one(
      `const ${name} = (text: string) => ${returned};`,
      `const ${name} = (text: string): number => ${returned};`,
      `function ${name}(text: string) {\n  return ${returned};\n}`,
      `function ${name}(text: string): number {\n  return ${returned};\n}`,
      `function ${name}(text: string): string;\nfunction ${name}(text: unknown): unknown {\n  return text;\n}`,
      `function ${name}(text: string): number;`,
      `function ${name}(text: unknown): asserts text is string {\n  if (typeof text !== "string") throw new Error();\n}`,
      `const ${name}: (text: unknown) => asserts text is string = (text) => {\n  if (typeof text !== "string") throw new Error();\n};`,
      `function ${name}(text: unknown): never {\n  throw new Error(String(text));\n}`,
      `const ${name} = (text: unknown): text is ${declaredType()} => text === ${value()};`,
      `function ${name}<T extends ${type()}>(text: T) {\n  return text;\n}`,
    );
  };
  const typeNamed = (name: string): string =>
    isCalm
      ? one(
          `interface ${name} {\n  readonly a: ${one("number", "string")};\n}`,
          `type ${name} = ${one("number", "string")};`,
        )
      : one(
          `interface ${name} {\n  readonly a: ${declaredType()};\n}`,
          `interface ${name} extends ${type()} {\n  readonly b: number;\n}`,
          `type ${name} = ${declaredType()};`,
          `type ${name} = typeof ${value()};`,
          `type ${name} = { readonly a: ${declaredType()} } | ${type()};`,
          `type ${name} = Shared;`,
          `type ${name} = ReturnType<typeof ${called()}>;`,
        );
  const valueNamed = (name: string): string =>
    isCalm
      ? one(
          `const ${name} = ${simple()};`,
          `const ${name} = ${digit()};`,
          `const ${name}: number = ${simple()};`,
        )
      : one(
          `const ${name} = ${initializer()};`,
          `const ${name} = ${initializer()};`,
          `const ${name} = ${initializer()};`,
          `const ${name}: ${declaredType()} = ${initializer()};`,
          `let ${name} = ${initializer()};`,
          `let ${name}: ${declaredType()} = ${initializer()};`,
          `let ${name};`,
          `const ${name} = [];`,
          `const ${name}: string | undefined = env(${word()});`,
          `const ${name}: string | undefined = env(${word()});`,
          `const [${name}] = [${digit()}, ${value()}];`,
          `var ${name} = ${digit()};`,
        );
  const others: Readonly<Record<string, (name: string) => string>> = {
    T: typeNamed,
    f: functionNamed,
    v: valueNamed,
    E: (name) => one(`enum ${name} {\n  A = ${digit()},\n}`, `const enum ${name} {\n  A = ${digit()},\n}`),
    N: (name) =>
      isCalm
        ? `const ${name} = { x: ${digit()} };`
        : `namespace ${name} {\n  export const x = ${one(digit(), value())};\n}`,
    C: (name) =>
      isCalm
        ? `class ${name} {\n  readonly a = ${digit()};\n}`
        : one(
            `class ${name} {\n  readonly a = ${digit()};\n}`,
            `class ${name} {\n  static {\n    asText(${value()});\n  }\n  readonly a = ${value()};\n}`,
            `class ${name} extends ${named("C")} {\n  readonly b = ${value()};\n}`,
            `class ${name} {\n  static readonly n = ${narrowing()};\n  a = ${digit()};\n}`,
          ),
  };
  const used = (): string =>
    isCalm
      ? one(
          value(),
          `${value()} + ${digit()}`,
          `Number(${value()})`,
          `${called()}(text)`,
          `${named("E")}.A`,
          digit(),
          `(text.length > ${digit()} ? 1 : ${value()})`,
          `${named("N")}.x`,
        )
      : one(
          value(),
          value(),
          `${value()}.length`,
          `Number(${value()})`,
          `${value()}.a`,
          `${value()}[0]`,
          `Number(${value()} ?? 1)`,
          `Number(${called()}(text))`,
          `${called()}(text)`,
          `${called()}(text)`,
          `${named("E")}.A`,
          `${named("N")}.x`,
          `${named("C")}.n`,
          `new ${named("C")}().a`,
          `${letterOf()}_all.${value()}`,
          digit(),
          digit(),
        );
  const helpers = `const env = (name: string): string | undefined => (name === "x" ? undefined : name);
const asText: (value: unknown) => asserts value is string = (value) => {
  if (typeof value !== "string") throw new Error();
};
function fail(code: number): never {
  throw new Error(String(code));
}`;
  return {
    importOf,
    declarationOf: (name) => {
      const text = (others[name[2] ?? ""] ?? valueNamed)(name);
      const exported = random() < 0.7 ? "export " : "";
      // The last case exports every line of an overload.
      return name.endsWith("_v0") && random() < 0.9
        ? `${exported}${text}`
        : name.endsWith("_N0")
          ? `${helpers}\n${exported}${text}`
          : text.replaceAll(
              /^(?=(?:const|let|var|function|class|enum|interface|type|namespace) )/gm,
              exported,
            );
    },
    statement,
    step: (at) => {
      const body = one(
        `({ n: text.length + ${used()} })`,
        `({ n: n + ${used()} })`,
        `({ n: ${used()} })`,
        `{\n    if (n > ${used()}) return { n: ${used()} };\n    return { n };\n  }`,
        isCalm
          ? `({ n: text === ${word()} ? ${used()} : ${used()} })`
          : `{\n    const own: ${type()} = ${value()};\n    return { n: String(own).length };\n  }`,
        `{\n    const a = ${used()};\n    const b = ${used()};\n    return { n: a + b };\n  }`,
        isCalm ? `({ n: ${used()} * ${used()} })` : `({ n: text === ${value()} ? ${used()} : ${used()} })`,
        isCalm
          ? `({ n: tensor() === undefined ? n : ${used()} })`
          : `{\n    for (const own of ${value()}) if (text === own) return { n: 1 };\n    return { n: ${used()} };\n  }`,
      );
      return `export const s${at} = step({\n  name: "s${at}",\n  run: ({ text, n }) => ${body},\n});`;
    },
  };
};
