import { expect, test } from "vitest";
import { bundleStep, type Files, projectOf, runBundle } from "./bundle.fixture.ts";

const head = 'import { batchStep, bytes, defineEnsemble, step } from "tritype";\n';
const signature = 'inputs: { text: bytes(["batch"]) }, outputs: { out: bytes(["batch"]) }';
/** A typical step; the call is on the line marked with `// here`. */
const clean = (out: string, before = ""): string => `${head}${before}
export const clean = step({ // here
  name: "clean",
  ${signature},
  run: ({ text }: { text: string }) => ({ out: ${out} }),
});
`;

interface Program {
  readonly files: Files;
  readonly packages?: readonly string[];
  /** The expected value of `out`. */
  readonly out: unknown;
  /** Texts that the bundle must not contain. */
  readonly without?: readonly string[];
  readonly printed?: string;
}

/** The programs, whose `run` is called with `{ text: "Ab" }`. */
const programs: Readonly<Record<string, Program>> = {
  "an arrow": { files: { "pipeline.ts": clean("text.toLowerCase()") }, out: "ab" },
  "a method": {
    files: {
      "pipeline.ts": `${head}export const clean = step({ // here
  name: "clean", ${signature},
  run({ text }) { return { out: text.toLowerCase() }; },
});`,
    },
    out: "ab",
  },
  "a function from another file, with its constants": {
    files: {
      "src/pipeline.ts": `${head}import { clean as run } from "../lib/clean.ts";
export const clean = step({ name: "clean", ${signature}, run }); // here`,
      "lib/clean.ts": `import { suffix } from "./suffix.js";
const unused = "never here";
export const clean = ({ text }: { text: string }) => ({ out: text + suffix });`,
      "lib/suffix.ts": `export const suffix: string = "!";`,
    },
    out: "Ab!",
    without: ["never here"],
  },
  "a flow, without the steps that it calls": {
    files: {
      "pipeline.ts": `import { bytes, flow, step } from "tritype";
import { heavy } from "./heavy.ts";
import { shout } from "./shout.ts";
const detect = step({ name: "detect", ${signature}, run: heavy });
export const clean = flow({ // here
  name: "clean", ${signature}, uses: { detect, again: detect.version(2) },
  run: async ({ text }, callees) => ({ out: shout(text) + (callees?.detect === undefined) }) });`,
      "heavy.ts": 'export const heavy = ({ text }: { text: string }) => ({ out: "never here" });',
      "shout.ts": 'export const shout = (text: string): string => text.toUpperCase() + "!";',
    },
    out: "AB!true",
    without: ["never here", 'detect"'],
  },
  "a flow whose `uses` is a variable": {
    files: {
      "pipeline.ts": `import { bytes, flow, step } from "tritype";
const detect = step({ name: "detect", ${signature}, run: ({ text }) => ({ out: text }) });
const uses = { detect };
export const clean = flow({ // here
  name: "clean", ${signature}, uses, run: async ({ text }) => ({ out: text }) });`,
    },
    out: "Ab",
  },
  "a default export": {
    files: {
      "pipeline.ts": `${head}export default step({ name: "clean", ${signature}, // here
  run: ({ text }) => ({ out: [...text].toReversed().join("") }) });`,
    },
    out: "bA",
  },
  "a namespace import of tritype": {
    files: {
      "pipeline.ts": `import * as t from "tritype";
export const clean = t.step({ name: "clean", inputs: { text: t.bytes(["batch"]) }, // here
  outputs: { out: t.bytes(["batch"]) }, run: ({ text }) => ({ out: text }) });`,
    },
    out: "Ab",
  },
  "tritype, imported by a file of the project": {
    files: {
      "pipeline.ts": `import { step, bytes } from "./lib.ts";
export const clean = step({ name: "clean", ${signature}, run: ({ text }) => ({ out: text }) }); // here`,
      "lib.ts": 'export * from "tritype";',
    },
    out: "Ab",
  },
  batchStep: {
    files: {
      "pipeline.ts": `${head}export const clean = batchStep({ // here
  name: "clean", ${signature}, run: ({ text }) => ({ out: text.length }),
});`,
    },
    out: 2,
  },
  "a closure of a factory in the same file": {
    files: {
      "pipeline.ts": `${head}const make = (name: string, suffix: string) =>
  step({ name, ${signature}, run: ({ text }) => ({ out: text + suffix }) }); // here
export const shout = make("shout", "!");
export const clean = make("clean", "?");
export const both = defineEnsemble({ name: "both", run: ({ text }) => shout(clean({ text })) });`,
    },
    out: "Ab?",
  },
  "steps created in a loop": {
    files: {
      "pipeline.ts": `${head}const steps: Record<string, unknown> = {};
for (const [name, suffix] of Object.entries({ other: "1", clean: "2" })) {
  steps[name] = step({ name, ${signature}, run: ({ text }) => ({ out: text + suffix }) }); // here
}
export const { clean } = steps;`,
    },
    out: "Ab2",
  },
  "steps created by map": {
    files: {
      "pipeline.ts": `${head}const unused = () => "never here";
export const steps = ["clean", "other"].map((name) =>
  step({ name, ${signature}, run: ({ text }) => ({ out: text + name }) }), // here
);
console.log(unused());`,
    },
    out: "Abclean",
    without: ["never here"],
  },
  "a class with private fields, statics and inheritance": {
    files: {
      "pipeline.ts": clean(
        "`${new Child(text).shown} ${Child.name} ${Child.made}`",
        `class Base { #text: string; static made = 0; static self = Base.made;
  constructor(text: string) { this.#text = text; Child.made++; } get shown(): string { return this.#text; } }
class Child extends Base { static override made = 10; override get shown(): string { return super.shown + "!"; } }`,
      ),
    },
    out: "Ab! Child 11",
  },
  "errors with their own class": {
    files: {
      "pipeline.ts": clean(
        "check(text)",
        `class TooLong extends Error { static limit = 1; static of = () => new TooLong();
  constructor() { super("too long"); this.name = this.constructor.name; } }
const check = (text: string): string => { try { if (text.length > TooLong.limit) throw TooLong.of(); return ""; }
  catch (error) { return String(error); } };`,
      ),
    },
    out: "TooLong: too long",
  },
  "names that two files share": {
    files: {
      "pipeline.ts": clean(
        "parse.name + other.name + new Parser().constructor.name + made()",
        `import { parse, Parser } from "./a.ts"; import { parse as other, made } from "./b.ts";`,
      ),
      "a.ts": `export function parse() {}\nexport class Parser {}`,
      "b.ts": `export function parse() {}\nclass Parser {}\nexport const made = () => new Parser().constructor.name;`,
    },
    out: "parseparseParserParser",
  },
  "a generator": {
    files: {
      "pipeline.ts": clean(
        `[...letters(text)].join("-")`,
        "function* letters(text: string): Generator<string> { for (const c of text) yield c; }",
      ),
    },
    out: "A-b",
  },
  "an asynchronous function": {
    files: {
      "pipeline.ts": `${head}import { setTimeout as wait } from "node:timers/promises";
export const clean = step({ name: "clean", ${signature}, // here
  run: async ({ text }) => { await wait(1); return { out: text }; } });`,
    },
    out: "Ab",
  },
  "enums and namespaces": {
    files: {
      "pipeline.ts": clean(
        `Color[Color.Blue] + Level.High + Place.here + Unit.Second`,
        `enum Color { Red, Blue }
enum Level { High = "high" }
const enum Unit { Second = 1 }
namespace Place { export const here = "!"; }`,
      ),
    },
    out: "Bluehigh!1",
  },
  "types of every kind": {
    files: {
      "pipeline.ts": clean(
        "(identity<Row>({ text } satisfies Row) as Row)!.text",
        `import type { Absent } from "./absent.ts";
import { type Missing } from "not-installed";
interface Row { readonly text: string }
type Both = Row & Absent & Missing;
declare const build: Both;
function identity<T>(value: T): T;
function identity(value: unknown): unknown { return value; }`,
      ),
    },
    out: "Ab",
  },
  "JSON, text and a folder's own settings": {
    files: {
      "pipeline.ts": clean(
        `words.length + names["Ab"] + stop.trim() + alias`,
        `import words from "./words.json" with { type: "json" };
import names from "./names.json";
import stop from "./stop.txt";
import { alias } from "@lib/alias";`,
      ),
      "words.json": '["a", "b"]',
      "names.json": '{ "Ab": "x" }',
      "stop.txt": "stop\n",
      "lib/alias.ts": `export const alias = "alias";`,
      "tsconfig.json": '{ "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } }',
    },
    out: "2xstopalias",
  },
  "top-level await": {
    files: {
      "pipeline.ts": clean(
        "table.get(text)",
        `const table = await import("./table.ts").then(({ load }) => load());`,
      ),
      "table.ts": `export const load = async () => new Map([["Ab", "found"]]);`,
    },
    out: "found",
  },
  JavaScript: {
    files: {
      "pipeline.mjs": `import { step, bytes } from "tritype";
import { upper } from "./upper.cjs";
export const clean = step({ name: "clean", ${signature}, // here
  run: ({ text }) => ({ out: upper(text) }) });`,
      "upper.cjs": `const { inspect } = require("util");
exports.upper = (text) => inspect(text.toUpperCase());`,
    },
    out: "'AB'",
  },
  "platform: Intl, Date, URL, TextEncoder, RegExp, BigInt, structuredClone": {
    files: {
      "pipeline.ts": clean(
        `[new Intl.NumberFormat("de").format(1234.5), new Date(0).toISOString(), new URL("/" + text, "http://a").href,
    new TextEncoder().encode(text).length, text.replaceAll(/(?<first>\\p{Lu})/gu, "<$<first>>"), String(2n ** 70n),
    structuredClone({ text }).text].join(" ")`,
      ),
    },
    out: "1.234,5 1970-01-01T00:00:00.000Z http://a/Ab 2 <A>b 1180591620717411303424 Ab",
  },
  "decorators, accessors, labels, symbols and getters": {
    files: {
      "pipeline.ts": clean(
        "new Box(text)[key]()",
        `const key = Symbol("key");
const twice = (method: (this: Box) => string, _: unknown) => function (this: Box) { return method.call(this) + method.call(this); };
class Box { accessor text: string; constructor(text: string) { this.text = text; }
  @twice [key](): string { outer: for (;;) for (;;) break outer; return this.text; } }`,
      ),
    },
    out: "AbAb",
  },
  "namespaces, which only have what their modules export": {
    files: {
      "pipeline.ts": clean(
        "[...names.map((name) => [name in table, String(table[name])]), 'valueOf' in loaded, loaded.loaded].join()",
        `import * as table from "./table.ts";
const loaded = await import("./loaded.ts");
const names = ["Ab", "toString", "constructor"] as ("Ab")[];`,
      ),
      "table.ts": 'export const Ab = 1;\nexport * from "./loaded.ts";',
      "loaded.ts": "export const loaded = 2;",
    },
    out: "true,1,false,undefined,false,undefined,false,2",
  },
  "a decorator that is a single expression": {
    files: {
      "pipeline.ts": clean(
        "call(new Box(text))",
        `const bound = (_: unknown, { name, addInitializer }: ClassMethodDecoratorContext) =>
  addInitializer(function (this: any) { this[name] = this[name].bind(this); });
const call = ({ shown }: Box) => shown();
class Box { constructor(readonly text: string) {} @bound shown() { return this.text; } }`,
      ),
    },
    out: "Ab",
  },
  "decorators of TypeScript's older kind": {
    files: {
      "pipeline.ts": clean(
        "new Box().shout(text) + seen.join()",
        `const seen: string[] = [];
const loud = (_: object, name: string, descriptor: PropertyDescriptor) => {
  const { value } = descriptor as { value: (text: string) => string };
  descriptor.value = (text: string) => value(text) + name;
};
const noted = (_: object, name: string, index: number) => void seen.push(name + index);
class Box { @loud shout(@noted text: string) { return text.toUpperCase(); } }`,
      ),
      "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true } }',
    },
    out: "ABshoutshout0",
  },
  "modules in CommonJS, written in TypeScript": {
    files: {
      "pipeline.ts": clean(
        "util.inspect(last(text)) + last.title",
        `import util = require("node:util");
import last from "./last.cts";`,
      ),
      "last.cts": `import path = require("node:path");
function last(text: string): string { return path.posix.join("/", text.slice(-1)); }
namespace last { export const title = "!"; }
export = last;`,
    },
    out: "'/b'!",
  },
  "state that persists, and a table that statements fill": {
    files: {
      "pipeline.ts": clean(
        `handlers.get("upper")!(text) + [...seen].join("")`,
        `const handlers = new Map<string, (text: string) => string>();
const seen: string[] = [];
const on = (name: string, handler: (text: string) => string) => { handlers.set(name, handler); return handler; };
export const upper = on("upper", (text) => text.toUpperCase());
if (seen.length === 0) seen.push("1");
for (const n of [2, 3]) seen.push(String(n));
seen[3] = "4";
try { seen.push("5"); } catch {}`,
      ),
    },
    out: "AB12345",
  },
  "process settings": {
    files: {
      "pipeline.ts": clean(
        "String(new Date(0).getHours()) + (text as { last?(): string }).last!()",
        `process.env.TZ = "Asia/Tokyo";
Object.defineProperty(String.prototype, "last", { value() { return this.at(-1); } });
import "./polyfill.ts";`,
      ),
      "polyfill.ts": `console.log("loaded");`,
    },
    out: "9b",
    printed: "loaded\n",
  },
  "two steps, one of which needs a package": {
    files: {
      "pipeline.ts": `${head}import { z } from "zod";
import pc from "picocolors";
const Text = z.string();
export const clean = step({ name: "clean", ${signature}, // here
  run: ({ text }) => ({ out: text }) });
export const other = step({ name: "other", ${signature}, run: ({ text: clean }) => ({ out: Text.parse(clean) + pc.red("") }) });
export const ensemble = defineEnsemble({ name: "e", run: ({ text }) => other(clean({ text })) });
console.log("building");
console.log(await ensemble.run({ text: "x" }));
export { z, other as again };
export * from "zod";`,
    },
    packages: ["zod", "picocolors"],
    out: "Ab",
    without: ["zod", "picocolors", "building"],
  },
  "steps from other files, which are left out": {
    files: {
      "pipeline.ts": clean(
        "text + suffix",
        `import { other, suffix } from "./other.ts";
export const ensemble = defineEnsemble({ name: "e", run: ({ text }) => other(clean({ text })) });`,
      ),
      "other.ts": `${head}import { z } from "zod";
export const suffix = "!";
export const other = step({ name: "other", ${signature}, run: ({ text }) => ({ out: z.string().parse(text) }) });
export const ensemble = defineEnsemble({ name: "f", run: ({ text }) => other({ text }) });`,
    },
    packages: ["zod"],
    out: "Ab!",
    without: ["zod", '"other"'],
  },
  "a package of ES modules": {
    files: {
      "pipeline.ts": clean(
        "Row.parse({ text }).text",
        `import { z } from "zod";
const Row = z.object({ text: z.string().trim().min(1) });`,
      ),
    },
    packages: ["zod"],
    out: "Ab",
  },
  "a package whose exports depend on conditions": {
    files: {
      "pipeline.ts": clean(
        "[main, part, required].join()",
        `import main from "choose";
import part from "choose/part";
import required from "old-style";`,
      ),
      "node_modules/choose/package.json": JSON.stringify({
        name: "choose",
        version: "1.0.0",
        exports: {
          ".": { browser: "./no.js", module: "./no.js", "module-sync": "./sync.mjs", default: "./no.js" },
          "./part": { worker: "./no.js", node: { import: "./part.mjs", require: "./part.cjs" } },
        },
      }),
      "node_modules/choose/no.js": 'throw new Error("never here");',
      "node_modules/choose/sync.mjs": 'export default "module-sync";',
      "node_modules/choose/part.mjs": 'export default "import";',
      "node_modules/choose/part.cjs": 'module.exports = "require";',
      "node_modules/old-style/package.json": '{ "name": "old-style", "version": "2.0.0" }',
      "node_modules/old-style/index.js": 'module.exports = require("choose/part");',
    },
    out: "module-sync,import,require",
    without: ["never here"],
  },
  "a CommonJS package that requires Node's modules": {
    files: {
      "pipeline.ts": clean(
        "pc.createColors(true).red(text) + typeof glob('x')",
        `import pc from "picocolors";
import glob from "old-style";`,
      ),
      "node_modules/old-style/package.json":
        '{ "name": "old-style", "version": "2.0.0", "licenses": [{ "type": "MIT" }, { "type": "BSD" }] }',
      "node_modules/old-style/index.js": `const fs = require("fs"), { join } = require("node:path");
Object.defineProperty(exports, "__esModule", { value: true });
exports.default = 1;
module.exports = (name) => join(typeof fs.readFileSync, typeof __dirname, typeof __filename, name);`,
    },
    packages: ["picocolors"],
    out: "\u001B[31mAb\u001B[39mstring",
  },
  "a package that plugins extend": {
    files: {
      "pipeline.ts": clean(
        "days(text).upper()",
        `import days from "days";
import upper from "days/upper.js";
import lower from "days/lower.js";
import { readFileSync } from "node:fs";
days.extend(upper);
readFileSync("package.json");`,
      ),
      "node_modules/days/package.json": '{ "name": "days", "version": "1.0.0", "license": "MIT" }',
      "node_modules/days/index.js": `function Days(text) { this.text = text; }
module.exports = (text) => new Days(text);
module.exports.extend = (plugin) => plugin(Days);`,
      "node_modules/days/upper.js":
        "module.exports = (Days) => { Days.prototype.upper = function () { return this.text.toUpperCase(); }; };",
      "node_modules/days/lower.js": "module.exports = () => { throw new Error('never here'); };",
    },
    out: "AB",
    without: ["never here", "package.json"],
  },
  "a package with an optional dependency that is missing": {
    files: {
      "pipeline.ts": clean("careful(text)", `import careful from "careful";`),
      "node_modules/careful/package.json": '{ "name": "careful", "version": "1.0.0" }',
      "node_modules/careful/index.js": `let found = "without"; const name = "./locale/" + process.platform;
try { found = require("not-installed"); } catch {}
try { require(name); } catch {}
module.exports = (text) => text + found;`,
    },
    out: "Abwithout",
  },
  "the locations of the sources": {
    files: {
      "src/my pipeline.ts": clean(
        `[import.meta.url.split("/").at(-1), import.meta.filename.split("/").at(-1), import.meta.dirname.split("/").at(-1), require("node:path").sep].join()`,
        `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`,
      ),
    },
    out: "my%20pipeline.ts,my pipeline.ts,src,/",
  },
  "files that import each other": {
    files: {
      "pipeline.ts": clean(
        "helper(text)",
        `import { helper } from "./helper.ts";
export const suffix = "!";`,
      ),
      "helper.ts": `import { suffix } from "./pipeline.ts";
export const helper = (text: string) => text + suffix;`,
    },
    out: "Ab!",
  },
};

test.each(Object.entries(programs))("%s", async (_, { files, packages, out, without = [], printed = "" }) => {
  const bundled = await bundleStep(projectOf(files, packages), files);
  expect(bundled.problems).toEqual([]);
  expect(runBundle(bundled, { text: "Ab" })).toEqual({ answer: { out }, printed });
  for (const text of without) expect(bundled.files.get("run.mjs")).not.toContain(text);
});
