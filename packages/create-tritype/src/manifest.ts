import { readFileSync } from "node:fs";
import type { Template } from "./templates.ts";

type Table = Readonly<Record<string, string>>;

/** The fields of a package.json that concern a new project. */
export interface Manifest {
  readonly name?: string;
  readonly type?: string;
  readonly scripts?: Table;
  readonly dependencies?: Table;
  readonly devDependencies?: Table;
  readonly [field: string]: unknown;
}

/** All tritype packages have the same version. */
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

export const newManifest = (name: string, template: Template): Manifest => ({
  name,
  version: "0.0.0",
  private: true,
  description: template.description,
  type: "module",
  scripts: {
    test: "vitest run",
    types: "tsc",
    build: "pipeline build",
    dev: "pipeline dev",
    verify: "pipeline verify",
  },
  dependencies: { tritype: `^${version}` },
  devDependencies: { "@types/node": "^20.19.0", typescript: "~6.0.3", vitest: "^4.1.12" },
  engines: { node: ">=20.19" },
});

const npmInitTest = 'echo "Error: no test specified" && exit 1';

/**
 * The project's own fields, with the missing ones added. Defaults that `npm init` wrote do not count as the user's own
 * fields.
 */
export const mergeManifest = (own: Manifest, fresh: Manifest): Manifest => {
  const { test, ...scripts } = own.scripts ?? {};
  const untouched = test === npmInitTest;
  const { main, ...rest } = own;
  return {
    ...(untouched && main === "index.js" ? rest : own),
    type: untouched ? (fresh.type ?? "module") : (own.type ?? fresh.type ?? "module"),
    scripts: { ...fresh.scripts, ...scripts, ...(test === undefined || untouched ? {} : { test }) },
    dependencies: { ...fresh.dependencies, ...own.dependencies },
    devDependencies: { ...fresh.devDependencies, ...own.devDependencies },
  };
};
