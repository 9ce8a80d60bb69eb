import { resolve } from "node:path";
import type { NodePermissions } from "@tritype/manifest";

/** An action that Node's permission model did not allow. */
export interface Denied {
  /** `reads "/etc/hosts", which is not allowed` */
  readonly says: string;
  /** What to do: add the option that allows it, or another way. */
  readonly advice: string;
}

/**
 * The action that caused an error of Node's permission model, or the package that the bundle does not find; undefined
 * for other errors, and for actions without an option.
 */
export const deniedBy = (error: object): Denied | undefined => {
  const { code, permission, resource, stack, message } = error as { readonly [key: string]: unknown };
  if (code === "ERR_MODULE_NOT_FOUND") return missing(String(message));
  if (code === "ERR_ACCESS_DENIED" && permission === "WorkerThreads") return worker(String(stack));
  const [says, option] = (code === "ERR_ACCESS_DENIED" && actions.get(permission)) || [];
  if (option === undefined) return undefined;
  const path = option === "fsRead" || option === "fsWrite" ? resolve(String(resource)) : undefined;
  const name = packageIn(path ?? "");
  if (option === "fsRead" && name !== undefined) return fromPackage(name);
  return {
    says: `${says}${path === undefined ? "" : ` "${path}"`}, which is not allowed`,
    advice: `add \`allow: { ${option}: ${path === undefined ? "true" : JSON.stringify([path])} }\` to the step`,
  };
};

/** Packages with native code are next to the bundle; another folder's path would not exist on the server. */
const fromPackage = (name: string): Denied => ({
  says: `reads the npm package "${name}", which is not in its folder`,
  advice: install,
});

/** The bundle contains all other packages. */
const missing = (message: string): Denied | undefined => {
  const [, name] = /^Cannot find package '([^']+)' imported from .*\brun\.mjs$/.exec(message) ?? [];
  return name === undefined
    ? undefined
    : { says: `needs the npm package "${name}", which is not installed`, advice: install };
};

const install = "run `npm ci` in the build's npm folder and copy node_modules into the version folder";

/** The npm package that contains a file, from its path or from a line of a stack trace. */
export const packageIn = (path: string): string | undefined =>
  /\bnode_modules\/((?:@[^/]+\/)?[^./][^/]*)(?!.*\bnode_modules\/)/.exec(path)?.[1];

/** No option allows it. Loggers and pools start one on request. */
const worker = (stack: string): Denied => {
  const [caller = ""] = /^ {4}at (?!.*[( ](?:node:|<anonymous>)).*$/m.exec(stack) ?? [];
  const name = packageIn(caller);
  return name === undefined
    ? {
        says: "starts a worker thread, which is not allowed",
        advice: 'add `instanceGroup: [{ kind: "cpu", count: 2 }]` to the step: each instance is a process',
      }
    : {
        says: `starts a worker thread through the npm package "${name}", which is not allowed`,
        advice: "use the package in a form that needs none, such as pino without `transport`",
      };
};

/** Node's name for a permission → the action that needs it, and its option in `allow`. */
const actions: ReadonlyMap<unknown, readonly [says: string, option: keyof NodePermissions]> = new Map([
  ["FileSystemRead", ["reads", "fsRead"]],
  ["FileSystemWrite", ["writes", "fsWrite"]],
  ["ChildProcess", ["starts a process", "childProcess"]],
  ["Addon", ["loads native code", "addons"]],
]);
