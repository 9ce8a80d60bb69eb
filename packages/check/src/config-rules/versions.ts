import type { ModelVersionPolicy } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";
import { servedVersions } from "../model/served-versions.ts";
import { modelRule, type Rule } from "../rule.ts";

/** The part of a policy that excludes every version, regardless of which folders exist. */
const emptyPolicy = ({ latest, specific }: ModelVersionPolicy): string | undefined => {
  if (latest && !latest.num_versions)
    return latest.num_versions === undefined ? "`latest { }` has num_versions 0" : "`num_versions` is 0";
  return specific && !specific.versions?.length ? "`specific { }` names no version" : undefined;
};

const policy = modelRule(
  {
    code: "version/empty-policy",
    triton: ["18"],
    atLoad: true,
    reason: "num_versions defaults to 0, so `latest { }` selects no version.",
    words: "at least one version must be available under the version policy of model '{model}'",
    message: "the version policy of `{model}` selects no version: {what}",
    help: "set `num_versions` in `latest`, or remove `version_policy`",
  },
  ({ config, at }, report) => {
    const what = emptyPolicy(config.version_policy ?? {});
    if (what !== undefined) report(at(["version_policy"], what), { what });
  },
);

const none = modelRule(
  {
    code: "version/none-available",
    triton: ["18", "21"],
    atLoad: true,
    reason:
      "Every model needs a version folder, even an ensemble. Git does not keep empty folders, so put a file into the ensemble's version folder.",
    words: "at least one version must be available under the version policy of model '{model}'",
    message: "`{model}` has no version folder that its version policy selects",
    help: "create a folder `1` in the model's folder",
  },
  (model, report) => {
    const { config, options, at } = model;
    if (options.configsOnly === true || emptyPolicy(config.version_policy ?? {}) !== undefined) return;
    if (servedVersions(model).length > 0 || tooLarge(model).length > 0) return;
    const wanted = config.version_policy?.specific?.versions;
    const label = wanted ? `asks for ${wanted.join(", ")}` : "no version in its folder";
    report(at(["version_policy"], label), {
      notes: mistaken(model),
      help: wanted ? forWanted(wanted, model) : undefined,
    });
  },
);

const forWanted = (wanted: readonly (number | bigint)[], model: ModelContext): string => {
  const present = (model.list("") ?? []).flatMap(({ name, kind }) =>
    kind === "folder" && /^(?:0|[1-9]\d*)$/.test(name) ? [name] : [],
  );
  const listed = present.length === 0 ? "versions that have folders" : present.join(", ");
  const [first] = wanted.filter((version) => version >= 0);
  return first === undefined
    ? `such a version cannot exist: list ${listed} in \`specific\``
    : `create a folder \`${first}\` in the model's folder${present.length === 0 ? "" : `, or list ${listed} in \`specific\``}`;
};

/** An entry that the author may have intended as a version. */
const mistaken = (model: ModelContext): readonly string[] =>
  (model.list("") ?? []).flatMap(({ name, kind }) => {
    if (kind === "file" && /^\d+$/.test(name)) return [`\`${name}\` is a file, not a folder`];
    if (kind === "folder" && /^0\d/.test(name)) return [`\`${name}\` begins with 0, so Triton ignores it`];
    if (kind === "folder" && /^v\d+$/i.test(name)) return [`\`${name}\` is not a number`];
    return [];
  });

const tooLarge = (model: ModelContext): readonly string[] =>
  (model.list("") ?? []).flatMap(({ name, kind }) => {
    const [, number] = kind === "folder" && !/^0./s.test(name) ? (/^\s*([+-]?\d+)/.exec(name) ?? []) : [];
    return number !== undefined && BigInt.asIntN(64, BigInt(number)) !== BigInt(number) ? [name] : [];
  });

const crash = modelRule(
  {
    code: "version/too-large",
    triton: ["17"],
    reason: "Triton reads a folder's name as a 64-bit integer; a larger number crashes the whole server.",
    message:
      "version folder `{folder}` of `{model}` crashes the server: the number does not fit into 64 bits",
    help: "rename it to a smaller number",
  },
  (model, report) => {
    if (model.options.configsOnly === true) return;
    for (const folder of tooLarge(model)) report(model.at(["version_policy"], "its folder"), { folder });
  },
);

const ignored = modelRule(
  {
    code: "version/ignored-folder",
    triton: ["15"],
    severity: "warning",
    reason: "Triton ignores folders whose names are not plain numbers, and logs a warning.",
    message: "Triton ignores folder `{folder}` of `{model}`: a version is a number without leading zeros",
    help: "rename it to `{number}`",
  },
  (model, report) => {
    if (model.options.configsOnly === true) return;
    const entries = model.list("") ?? [];
    for (const { name: folder, kind } of entries) {
      const [, digits] =
        kind === "folder" ? (/^(?:0+|[vV](?:er(?:sion)?)?[_-]?)(\d+)$/.exec(folder) ?? []) : [];
      if (digits === undefined) continue;
      const number = digits.replace(/^0+(?=\d)/, "");
      const taken = entries.some(({ name }) => name === number);
      report(model.at(["version_policy"], "its folder"), {
        folder,
        number,
        help: taken
          ? `\`${number}\` exists too: remove \`${folder}\`, or rename it to an unused number`
          : undefined,
      });
    }
  },
);

const half = modelRule(
  {
    code: "version/not-a-number",
    triton: ["16"],
    severity: "warning",
    reason:
      "Triton reads the digits at the start of a folder's name and then looks for a folder with only these digits as its name.",
    message:
      "Triton mistakes folder `{folder}` of `{model}` for version {version}, and looks for `{version}`",
    help: "rename it to `{version}`, or to something that does not begin with a digit",
  },
  (model, report) => {
    if (model.options.configsOnly === true) return;
    for (const { name: folder, kind } of model.list("") ?? []) {
      const [, digits] = kind === "folder" ? (/^\s*\+?(-?[1-9]\d*|-?0(?!.))/s.exec(folder) ?? []) : [];
      if (digits === undefined) continue;
      if (BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits)) continue;
      const version = String(BigInt.asUintN(64, BigInt(digits)));
      if (version === folder) continue;
      report(model.at(["version_policy"], "its folder"), {
        folder,
        version,
        help:
          BigInt(digits) < 0
            ? "rename it to a non-negative number, or to a name that begins with a letter"
            : undefined,
      });
    }
  },
);

const missing = modelRule(
  {
    code: "version/missing",
    triton: ["19"],
    severity: "warning",
    reason: "Triton loads the existing versions and only logs which ones are missing.",
    message: "`{model}` requests version {version}, which has no folder",
    help: "add folder `{version}`, or remove {version} from the policy",
  },
  (model, report) => {
    const wanted = model.config.version_policy?.specific?.versions ?? [];
    const served = model.options.configsOnly === true ? [] : servedVersions(model);
    if (served.length === 0) return;
    for (const [i, version] of wanted.entries())
      if (!served.includes(String(BigInt.asUintN(64, BigInt(version)))))
        report(model.at(["version_policy", "specific", "versions", i], "does not exist"), { version });
  },
);

export const versionRules: readonly Rule[] = [policy, none, crash, ignored, half, missing];
