/** The first release that takes `--model-config-name`. Source: `command_line_parser.cc` on the release branches of Triton's `server` repository. */
export const profilesSince = "24.05";

/** The reason why `name` cannot be the name of a custom configuration, `configs/<name>.pbtxt`; undefined if it can. */
export const checkProfileName = (name: string): string | undefined =>
  /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)
    ? undefined
    : "a profile's name is made of letters, digits, '_', '-' and '.', and does not start with '-' or '.'";
