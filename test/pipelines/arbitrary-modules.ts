import fc from "fast-check";

/** A project of two to four modules that import each other at random, including import cycles. */
export interface RandomModules {
  /** The modules by file name, entries first. */
  readonly files: Readonly<Record<string, string>>;
}

/** How one module uses a name from another. */
interface Use {
  readonly from: number;
  readonly name: "size" | "name" | "grow" | "own";
  /** During loading, or in a function that may be called by any module. */
  readonly when: "loading" | "later";
}

interface RandomModule {
  readonly uses: readonly Use[];
  /** Whether its constants are declared before its ensemble. */
  readonly constantsFirst: boolean;
  readonly callsLater: boolean;
}

const use = (modules: number): fc.Arbitrary<Use> =>
  fc.record({
    from: fc.nat(modules - 1),
    name: fc.constantFrom("size", "name", "grow", "own"),
    when: fc.constantFrom("loading", "later"),
  });

export const arbitraryModules: fc.Arbitrary<RandomModules> = fc
  .integer({ min: 2, max: 4 })
  .chain((count) =>
    fc.array(
      fc.record({
        uses: fc.array(use(count), { maxLength: 3 }),
        constantsFirst: fc.boolean(),
        callsLater: fc.boolean(),
      }),
      { minLength: count, maxLength: count },
    ),
  )
  .map((modules) => ({
    files: Object.fromEntries(modules.map((one, index) => [fileOf(index), printModule(one, index)])),
  }));

export const fileOf = (index: number): string => `m${index}.ts`;

/** Plain JavaScript, so that Node can load it unchanged. */
const printModule = ({ uses, constantsFirst, callsLater }: RandomModule, index: number): string => {
  const own = uses.filter(({ from }) => from !== index);
  const imports = [...new Map(own.map(({ from, name }) => [`${name}${from}`, { from, name }])).values()];
  const when = (wanted: Use["when"], name: Use["name"]): readonly Use[] =>
    own.filter((one) => one.when === wanted && one.name === name);
  const sizes = [
    "4",
    ...when("loading", "size").map(({ from }) => `size${from}`),
    ...when("loading", "grow").map(({ from }) => `grow${from}()`),
  ];
  const called = when("loading", "own").map(({ from }) => `own${from}({ x }).y`);
  const constants = [
    `export const size${index} = ${index + 1};`,
    `export const name${index} = "part${index}";`,
  ];
  const parts = [`"e${index}"`, ...when("loading", "name").map(({ from }) => `name${from}`)];
  const ensemble = `export const own${index} = defineEnsemble({
  name: [${parts.join(", ")}].join("_"),
  maxBatchSize: 8,
  inputs: { x: fp32("batch", ${sizes.join(" + ")}) },
  run: ({ x }) => ({ y: [x.mul(2)${called.map((one) => `, ${one}`).join("")}][0] }),
});`;
  const later = own.filter((one) => one.when === "later").map(({ from, name }) => `${name}${from}`);
  return `import { defineEnsemble, fp32 } from "tritype";
${imports.map(({ from, name }) => `import { ${name}${from} } from "./${fileOf(from)}";\n`).join("")}
export function grow${index}() {
  return [${[...later, index].join(", ")}].length;
}
${(constantsFirst ? [...constants, ensemble] : [ensemble, ...constants]).join("\n")}
${callsLater ? `grow${index}();\n` : ""}`;
};
