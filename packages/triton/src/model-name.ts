/** The reason why `name` cannot name a model folder that every part of Triton can address; undefined if it can. */
export const checkModelName = (name: string): string | undefined =>
  rules.find(([broken]) => broken(name))?.[1];

/**
 * Stricter than Triton at load: over HTTP a name is not percent-decoded, and the python backend puts it into a shell command.
 * Source: core `model_repository_manager.cc`, python_backend `stub_launcher.cc`; measured on 24.10.
 */
const rules: readonly (readonly [broken: (name: string) => boolean, message: string])[] = [
  [(name) => name === "", "a model name cannot be empty"],
  [(name) => !/^[A-Za-z0-9_.-]*$/.test(name), "a model name consists of letters, digits, '_', '-' and '.'"],
  [(name) => /^[.-]/.test(name), "a model name does not start with '.' or '-'"],
  [(name) => name === "__proto__", "JavaScript treats `__proto__` specially"],
  [(name) => name.length > 200, "a model name has at most 200 characters"],
];

/** The reason why `name` cannot be the name of a custom configuration, `configs/<name>.pbtxt`; undefined if it can. */
export const checkProfileName = (name: string): string | undefined =>
  /^(?!__proto__$)[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)
    ? undefined
    : "a profile's name consists of letters, digits, '_', '-' and '.', does not start with '-' or '.', and is not `__proto__`";
