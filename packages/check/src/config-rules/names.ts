import { modelRule, type Rule } from "../rule.ts";

const folderName = modelRule(
  {
    code: "config/folder-name",
    triton: ["11"],
    reason: "Triton identifies a model by its folder and refuses a configuration with a different name.",
    words: "unexpected directory name '{folder}' for model '{model}', directory name must equal model name",
    message: "model `{folder}` has the name `{model}` in its configuration",
    help: 'write `name: "{folder}"`, remove `name`, or rename the folder',
  },
  ({ name: folder, written, at }, report) => {
    const { name = "" } = written;
    if (name !== "" && name !== folder)
      report(at(["name"], `the folder is \`${folder}\``), { folder, model: name });
  },
);

const shellCharacters = modelRule(
  {
    code: "config/shell-characters",
    triton: ["14"],
    atLoad: true,
    reason:
      "The python backend starts a process per instance with the model's name on its command line. Newer releases refuse names with shell characters; older ones never finish loading.",
    words: "Invalid stub name: contains invalid characters",
    message: "the python backend cannot start model `{name}`: {character} has a special meaning in the shell",
    help: "rename the model, using only letters, digits, '_', '-' and '.'",
  },
  ({ name, config, options, at }, report) => {
    if (config.backend !== "python") return;
    const character = (options.release.container >= refusedSince ? refused : shell).exec(name)?.[0];
    if (character !== undefined) report(at(["name"], "this name"), { name, character: `'${character}'` });
  },
);

/** The first release with this check. Source: python_backend `pb_utils.h`, INVALID_CHARS. */
const refusedSince = "25.08";
const refused = /[;|&$`<>()[\]{}\\"'*?~#!]/;
/** Characters that split or terminate the command line in older releases; measured on 24.10. */
const shell = /[;|&$`<>()\\"'\s]/;

const unaddressable = modelRule(
  {
    code: "config/unaddressable-name",
    triton: ["14"],
    judged: "ours",
    reason:
      "Triton does not decode percent signs in URLs, so no HTTP request reaches a model with such a name: the response is 404.",
    message: "no HTTP request can reach model `{name}`: {character} would have to be escaped in the URL",
    help: "rename the model, using only letters, digits, '_', '-' and '.'",
  },
  ({ name, at }, report) => {
    const character = /[^A-Za-z0-9_.~!$&'()*+,;=:@-]/u.exec(name)?.[0];
    if (character !== undefined) report(at(["name"], "this name"), { name, character: `'${character}'` });
  },
);

export const nameRules: readonly Rule[] = [shellCharacters, unaddressable];
/** Triton compares the names last when it reads the repository. */
export const folderNameRules: readonly Rule[] = [folderName];
