import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mapDefined, type Span } from "@tritype/core";
import { type CompiledProject, editOptions, type OptionEdit, type Project } from "@tritype/project";
import type { TunedOptions } from "@tritype/tune";
import type { Terminal } from "../terminal.ts";
import { writeFile } from "../write-file.ts";
import { profileFields, type TunedProfile } from "./candidate.ts";
import { lineDiff } from "./line-diff.ts";

/** A change to an option, and the file that contains the option, as a path relative to the project's root. */
export interface SettingsEdit extends OptionEdit {
  readonly file: string;
}

/** The changes to a project's sources that apply the settings, including the profile's declaration in its configuration. */
export const settingsEdits = (
  project: Pick<Project, "configFile">,
  { records, compilation, settings }: CompiledProject,
  profile: TunedProfile,
  tuned: TunedOptions,
): readonly SettingsEdit[] => {
  const placeOf = (name: string): Span | undefined =>
    compilation.emitted.models.find((model) => model.name === name)?.definedAt;
  const at = (name: string, path: readonly string[], value: unknown): readonly SettingsEdit[] => {
    const call = placeOf(name);
    return call === undefined ? [] : [{ file: call.file, call, path, value }];
  };
  const { name, base } = profile;
  const inConfig = base === undefined ? {} : (settings.profiles[base] ?? {});
  const declared = JSON.stringify(settings.profiles[name]) === JSON.stringify(inConfig);
  const fields = profileFields(records, profile, tuned);
  return [
    ...(fields.length === 0 || declared
      ? []
      : [
          {
            file: project.configFile ?? "pipeline.config.ts",
            call: undefined,
            path: ["profiles", name],
            value: inConfig,
          },
        ]),
    ...fields.flatMap(({ record, ofMembers, fields: value }) =>
      at(
        record.name,
        ofMembers ? ["members", "profiles", name] : ["profiles", name],
        Object.keys(value).length === 0 ? undefined : value,
      ),
    ),
    ...[...tuned.own].flatMap(([step, own]) =>
      Object.entries(own).flatMap(([field, value]) => at(step, [field], value)),
    ),
  ];
};

/**
 * Files that the settings may change → their texts. Read when the search begins, which takes minutes: positions refer to these texts.
 */
export const readSources = (
  { root, configFile }: Pick<Project, "configFile" | "root">,
  { compilation }: Pick<CompiledProject, "compilation">,
): ReadonlyMap<string, string> => {
  const files = compilation.emitted.models.flatMap(({ definedAt }) => definedAt?.file ?? []);
  return mapDefined([configFile ?? "pipeline.config.ts", ...files], (file) => textOf(root, file));
};

const textOf = (root: string, file: string): string =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";

const emptyConfig = 'import { defineConfig } from "tritype";\n\nexport default defineConfig({});\n';

/**
 * Prints the changes, and writes them to the files if requested, except to files that have been edited since.
 * @param sources The result of `readSources`.
 * @throws PipelineError `file/not-writable`
 */
export const writeSettings = async (
  { root }: Pick<Project, "root">,
  edits: readonly SettingsEdit[],
  write: boolean,
  sources: ReadonlyMap<string, string>,
  terminal: Terminal,
): Promise<void> => {
  const { out, outColors: colors, note } = terminal;
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const before = sources.get(file) ?? textOf(root, file);
    const own = edits.filter((edit) => edit.file === file);
    const { text, left } = await editOptions(before === "" ? emptyConfig : before, own);
    if (text !== before) out(lineDiff(file, before, text, colors));
    for (const { path: option, value } of left)
      note(
        `${terminal.colors.yellow("note")} ${file}: \`${option.join(".")}\` is not written as a literal; set it yourself: ${JSON.stringify(value)}`,
      );
    if (!write || text === before) continue;
    if (textOf(root, file) !== before) {
      note(
        `${terminal.colors.yellow("note")} ${file} was edited during the run, so it is not changed: run the same command again, or make this change yourself`,
      );
      continue;
    }
    writeFile(join(root, file), text, file, "check its permissions");
    note(`${terminal.colors.green("wrote")} ${file}`);
  }
  if (!write && edits.length > 0)
    note(
      "nothing was written; run the same command with --write to apply these changes without measuring again",
    );
};
