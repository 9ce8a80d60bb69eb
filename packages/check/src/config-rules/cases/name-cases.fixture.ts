import { releaseOf, type TritonRelease } from "@tritype/triton";
import { python, type RuleCase } from "./rule-case.fixture.ts";

const named = (name: string, config: string) => ({
  config: "",
  files: { [`${name}/config.pbtxt`]: config, [`${name}/1/model.py`]: "" },
});

export const nameCases: readonly RuleCase[] = [
  {
    code: "config/folder-name",
    breaks: { config: `${python}\nname: "n"` },
    says: "model `m` has the name `n` in its configuration",
    at: "name",
    passes: [{ config: `name: "m" ${python}` }, { config: `name: "" ${python}` }, { config: python }],
  },
  {
    code: "config/shell-characters",
    breaks: named("a;b", python),
    says: "the python backend cannot start model `a;b`: ';' has a meaning in the shell",
    at: "backend",
    passes: [
      named("has.dot", python),
      named("-dash", python),
      named("a;b", 'backend: "identity"'),
      named("a~b", python),
    ],
  },
  {
    code: "config/shell-characters",
    breaks: { ...named("a~b", python), options: { release: releaseOf("25.08") as TritonRelease } },
    says: "the python backend cannot start model `a~b`: '~' has a meaning in the shell",
    at: "backend",
    passes: [{ ...named("a b", python), options: { release: releaseOf("25.08") as TritonRelease } }],
  },
  {
    code: "config/unaddressable-name",
    breaks: named("größe", python),
    says: "no HTTP request can name model `größe`: 'ö' would have to be escaped in the URL",
    at: "backend",
    passes: [named("a+b", python), named("A_b.c-1", python)],
  },
];
