import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createProject, nextSteps, packageManagerOf, templates } from "create-tritype";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { guideProject } from "../function/flow-guide.ts";

const require = createRequire(import.meta.url);
const workspace = fileURLToPath(new URL("../../", import.meta.url));
/**
 * The folder is inside the workspace, so that `tritype`, `vitest` and `typescript` resolve as in an installed project.
 */
const parent = fileURLToPath(new URL("../.projects/", import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
}

const runNode = (cwd: string, argv: readonly string[], program: string = process.execPath): Promise<Ended> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      NODE_OPTIONS: "",
      NO_COLOR: "1",
      VITEST: undefined,
      npm_config_user_agent: "npm/10",
    };
    execFile(program, argv, { cwd, env }, (error, out, err) =>
      resolve({
        code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1,
        out: `${out}${err}`,
      }),
    );
  });
const binOf = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path);

const folders: string[] = [];
const newFolder = (): string => {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(parent);
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("the templates", () => {
  const names = templates.map(({ name }) => name);
  /** Contains a project of each template, in a folder of its name. */
  let parentOfAll = "";
  const rootOf = (name: string): string => join(parentOfAll, name);
  beforeAll(() => {
    parentOfAll = newFolder();
    for (const template of names)
      createProject({ folder: rootOf(template), template, packageManager: "npm" });
  });

  test("every template passes its own test", async () => {
    // As in an installed project, Vitest does not transform the packages.
    const project = (name: string): string =>
      `{ extends: "./${name}/vitest.config.ts", test: { name: "${name}", root: "./${name}", server: { deps: { external: [/packages/] } } } }`;
    writeFileSync(
      join(parentOfAll, "vitest.config.ts"),
      `export default { test: { projects: [${names.map(project).join(", ")}] } };\n`,
    );
    const { code, out } = await runNode(parentOfAll, [binOf("vitest", "vitest.mjs"), "run"]);
    expect({ code, out }).toMatchObject({ code: 0 });
    for (const name of names)
      expect(out).toMatch(new RegExp(`✓ +\\|?${name}\\|? +test/\\w+\\.test\\.ts \\([3-9] tests\\)`));
  }, 180_000);

  test("every template type-checks", async () => {
    const optionsOf = (name: string): string => readFileSync(join(rootOf(name), "tsconfig.json"), "utf8");
    const [first = ""] = names;
    for (const name of names) expect(optionsOf(name)).toBe(optionsOf(first));
    const { include } = JSON.parse(optionsOf(first)) as { readonly include: readonly string[] };
    // Flows of the guide, with `process`, `fetch` and `node:` modules.
    const guide = guideProject();
    for (const file of ["lookup.ts", "split.ts", "fallback.ts"]) {
      expect(guide[file]).toBeDefined();
      writeFileSync(join(rootOf(first), file), guide[file] ?? "");
    }
    const config = {
      extends: `./${first}/tsconfig.json`,
      include: names.flatMap((name) => include.map((pattern) => `${name}/${pattern}`)),
    };
    writeFileSync(join(parentOfAll, "tsconfig.json"), JSON.stringify(config));
    const { code, out } = await runNode(parentOfAll, [binOf("typescript", "bin/tsc"), "--listFiles"]);
    expect({ code, out }).toMatchObject({ code: 0 });
    for (const name of names) expect(out).toContain(`/${name}/pipeline.ts\n`);
  }, 120_000);

  describe.each(templates.map(({ name, request }) => ({ name, request })))("$name", ({ name, request }) => {
    test("a template builds, passes the check, and answers", async () => {
      expect(await pipeline({ root: rootOf(name) }, ["build"])).toMatchObject({ code: 0 });
      const checked = await pipeline({ root: rootOf(name) }, ["check", "build/model_repository"]);
      expect(checked).toMatchObject({ code: 0, err: expect.stringContaining("nothing found") as string });
      expect(await pipeline({ root: rootOf(name) }, ["run", ...request])).toMatchObject({ code: 0 });
    }, 120_000);

    test("a template gives the same answers with its emitted Python and on a real Triton", async () => {
      const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
      expect(await pipeline({ root: rootOf(name) }, ["verify"], { env })).toMatchObject({ code: 0 });
    }, 300_000);

    test("a template has the signature module that `pipeline types` writes", async () => {
      const [module = ""] = readdirSync(join(rootOf(name), "models")).filter((file) =>
        readFileSync(join(rootOf(name), "models", file), "utf8").includes("Written by `pipeline types`"),
      );
      const written = readFileSync(join(rootOf(name), "models", module), "utf8");
      const file = /file: "([^"]+)"/.exec(written)?.[1] ?? "";
      const fresh = await pipeline({ root: rootOf(name) }, [
        "types",
        file,
        "--name",
        module.replace(".ts", ""),
      ]);
      // Biome writes trailing commas.
      const bare = (text: string): string => text.replaceAll(",\n", "\n").trim();
      expect(bare(written)).toBe(bare(fresh.out));
    });
  });
});

describe("init", () => {
  const init = (root: string, ...args: readonly string[]) => pipeline({ root }, ["init", ...args]);

  test("init creates an embedding project by default, in the folder, and in a clone says what to do instead", async () => {
    const root = newFolder();
    const { code, err } = await init(root);
    expect(code).toBe(0);
    expect(err).toBe(
      "created . from the template embedding: 13 files\n\n" +
        "Tritype is not on npm yet, so its packages cannot be installed in this folder. In the clone, this creates\n" +
        "a project with the clone's packages:\n\n" +
        "  node test/workspace/new-project.mjs <new folder> --template embedding\n",
    );
    expect(filesBelow(root)).toEqual(
      [
        ".gitattributes",
        ".gitignore",
        "README.md",
        "assets/MODEL_CARD.md",
        "assets/encoder/model.onnx",
        "assets/tokenizer/tokenizer.json",
        "models/encoder.ts",
        "package.json",
        "pipeline.config.ts",
        "pipeline.ts",
        "test/embed.test.ts",
        "tsconfig.json",
        "vitest.config.ts",
      ].toSorted(),
    );
    expect(readFileSync(join(root, "README.md"), "utf8")).not.toContain("{{");
  });

  test("the next commands use the caller's package manager; the clone's own lock file does not count", () => {
    const folder = newFolder();
    const [packageManager, pnpm] = ["npm/10", "pnpm/10"].map((agent) =>
      packageManagerOf(folder, { npm_config_user_agent: agent }),
    );
    expect([packageManager, pnpm]).toEqual(["npm", "pnpm"]);
    const created = createProject({ folder, template: "embedding", packageManager: "npm" });
    expect(nextSteps(created, dirname(folder), "npm", true)).toEqual([
      `created ${basename(folder)} from the template embedding: 13 files`,
      "",
      `  cd ${basename(folder)}`,
      "  npm install",
      "  npm test",
      '  npx pipeline run embed "a sentence"',
      "  npx pipeline dev",
    ]);
    writeFileSync(join(folder, "yarn.lock"), "");
    expect(packageManagerOf(join(folder, "below"), {})).toBe("yarn");
  });

  test("a lock file above the current folder counts, as in a workspace", async () => {
    const folder = newFolder();
    const packages = join(folder, "packages");
    mkdirSync(packages);
    writeFileSync(join(folder, "yarn.lock"), "");
    const module = import.meta.resolve("create-tritype");
    const program = `import { packageManagerOf } from ${JSON.stringify(module)}; console.log(packageManagerOf("new", {}));`;
    expect(await runNode(packages, ["--input-type=module", "--eval", program])).toEqual({
      code: 0,
      out: "yarn\n",
    });
  });

  test("git leaves the files of a new project unchanged, even if it is set to convert line endings", async () => {
    const root = newFolder();
    expect(await init(root)).toMatchObject({ code: 0 });
    const git = (...argv: readonly string[]): string =>
      execFileSync("git", ["-c", "core.autocrlf=true", "-C", root, ...argv], {
        encoding: "utf8",
        stdio: "pipe",
      });
    const contents = (): readonly (readonly [string, string])[] =>
      filesBelow(root)
        .filter((file) => !file.startsWith(".git/"))
        .map((file) => [file, readFileSync(join(root, file), "base64")]);
    const before = contents();
    git("init", "--quiet");
    git("add", ".");
    for (const [file] of before) rmSync(join(root, file));
    git("checkout", "--", ".");
    expect(contents()).toEqual(before);
  });

  test("init lists the templates", async () => {
    const { code, out } = await init(parent, "--list");
    expect(code).toBe(0);
    expect(out).toMatch(/^embedding +text → vector.*\nclassification +text → label.*\n$/);
  });

  test("init refuses to overwrite files, and then writes nothing", async () => {
    const root = newFolder();
    writeFileSync(join(root, "pipeline.ts"), "// mine\n");
    writeFileSync(join(root, "tsconfig.json"), "{}\n");
    const { code, err } = await init(root);
    expect(code).toBe(2);
    expect(err).toBe(
      "error[create/folder-not-empty]: `pipeline.ts`, `tsconfig.json` are in the way; nothing was written\n" +
        "  = help: move them away, or name another folder\n",
    );
    expect(readdirSync(root).toSorted()).toEqual(["pipeline.ts", "tsconfig.json"]);
  });

  test.each([
    [["embeding"], "there is no template `embeding`", "did you mean `embedding`?"],
    [["vision"], "there is no template `vision`", "use `embedding` or `classification`"],
    [["embedding", "a", "b"], "`pipeline init` does not accept `b`", "see `pipeline init --help`"],
    [["--force"], "`pipeline init` has no option --force", "see `pipeline init --help`"],
  ])("init %j fails", async (args, message, help) => {
    const root = newFolder();
    const { code, err } = await init(root, ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).toContain(help);
    expect(readdirSync(root)).toEqual([]);
  });

  test("init completes the files of `npm init` and git", async () => {
    const root = newFolder();
    const manifest = {
      name: "mine",
      version: "1.0.0",
      main: "index.js",
      scripts: { test: 'echo "Error: no test specified" && exit 1' },
      type: "commonjs",
    };
    writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(root, ".gitignore"), "node_modules\n*.log");
    writeFileSync(join(root, ".gitattributes"), "*.png binary\n");
    writeFileSync(join(root, "README.md"), "# Mine\n");
    expect(await init(root)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).toMatchObject({
      name: "mine",
      version: "1.0.0",
      type: "module",
      scripts: { test: "vitest run", build: "pipeline build" },
      dependencies: { tritype: expect.stringMatching(/^\^\d+\.\d+\.\d+/) as string },
    });
    expect(readFileSync(join(root, ".gitignore"), "utf8")).toBe("node_modules\n*.log\nbuild/\n");
    expect(readFileSync(join(root, ".gitattributes"), "utf8")).toBe("*.png binary\n");
    expect(readFileSync(join(root, "README.md"), "utf8")).toBe("# Mine\n");
  });

  test("init does not change a project's scripts and versions", () => {
    const root = newFolder();
    const manifest = {
      type: "commonjs",
      scripts: { test: "jest", build: "make" },
      devDependencies: { vitest: "4.0.0" },
    };
    writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
    createProject({ folder: root, template: "classification", packageManager: "npm" });
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).toMatchObject({
      type: "commonjs",
      scripts: { test: "jest", build: "make", dev: "pipeline dev" },
      devDependencies: { vitest: "4.0.0" },
    });
  });

  test("a package.json that is not JSON is left unchanged", () => {
    const root = newFolder();
    writeFileSync(join(root, "package.json"), "{");
    expect(() => createProject({ folder: root, template: "embedding", packageManager: "npm" })).toThrow(
      "`package.json` cannot be read; nothing was written",
    );
    expect(readdirSync(root)).toEqual(["package.json"]);
  });
});

describe("npm create tritype", () => {
  /** The package as published, unpacked with its dependencies. */
  const unpack = async (): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), "tritype-create-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const names = ["create-tritype", "@tritype/core"];
    const packing = ["--recursive", ...names.flatMap((name) => ["--filter", name]), "pack"];
    const npx = ["--yes", "pnpm@10.34.8", ...packing, "--pack-destination", folder];
    expect(await runNode(workspace, npx, "npx")).toMatchObject({ code: 0 });
    for (const name of names) {
      const target = join(folder, "node_modules", name);
      mkdirSync(target, { recursive: true });
      const start = name.replace("@", "").replace("/", "-");
      const tarball = readdirSync(folder).find((file) => file.startsWith(start)) ?? "";
      expect(
        await runNode(folder, ["-xzf", tarball, "--strip-components=1", "-C", target], "tar"),
      ).toMatchObject({ code: 0 });
    }
    return folder;
  };

  test("`npm create tritype` works from its package", async () => {
    const folder = await unpack();
    const bin = join(folder, "node_modules", "create-tritype", "bin", "create-tritype.js");
    const made = await runNode(folder, [bin, "shop", "--template", "classification"]);
    expect(made).toEqual({
      code: 0,
      out:
        "created shop from the template classification: 14 files\n\n  cd shop\n  npm install\n  npm test\n" +
        '  npx pipeline run classify "Where is my parcel?"\n  npx pipeline dev\n',
    });
    expect(existsSync(join(folder, "shop", ".gitignore"))).toBe(true);
    expect(existsSync(join(folder, "shop", "assets", "classifier", "model.onnx"))).toBe(true);
    expect(await runNode(folder, [bin, "shop"])).toMatchObject({
      code: 2,
      out: expect.stringContaining("error[create/folder-not-empty]: ") as string,
    });
    expect((await runNode(folder, [bin, "--list"])).out).toBe("embedding\nclassification\n");
    expect((await runNode(folder, [bin, "--help"])).out).toContain("Usage: npm create tritype [folder]");
    expect(await runNode(folder, [bin, "--nonsense"])).toMatchObject({ code: 2 });
    expect((await runNode(folder, [bin])).out).toContain("created my-pipeline from the template embedding");
  }, 120_000);
});
