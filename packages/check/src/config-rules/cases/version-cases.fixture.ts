import { io, type RuleCase } from "./rule-case.fixture.ts";

const identity = `backend: "identity" ${io}`;
const folders = (...names: string[]) => ({
  files: Object.fromEntries(names.map((name) => [`m/${name}`, null])),
});

export const versionCases: readonly RuleCase[] = [
  {
    code: "version/empty-policy",
    breaks: { config: `${identity} version_policy { latest { } }` },
    says: "the version policy of `m` selects no version: `latest { }` has num_versions 0",
    at: "version_policy",
    passes: [
      { config: `${identity} version_policy { latest { num_versions: 1 } }` },
      { config: `${identity} version_policy { all { } }` },
      { config: `${identity} version_policy { }` },
      { config: identity },
    ],
  },
  {
    code: "version/empty-policy",
    breaks: { config: `${identity} version_policy { specific { } }`, options: { configsOnly: true } },
    says: "the version policy of `m` selects no version: `specific { }` names no version",
    at: "version_policy",
    passes: [{ config: `${identity} version_policy { specific { versions: 1 } }` }],
  },
  {
    code: "version/none-available",
    breaks: { config: identity, files: { "m/1": "a file", "m/01": null, "m/abc": null, "m/warmup": null } },
    says: "`m` has no version folder that its version policy selects",
    at: "backend",
    passes: [
      { config: identity, ...folders("1") },
      { config: identity, ...folders("0") },
      { config: identity, ...folders("1abc") },
      { config: identity, files: {}, options: { configsOnly: true } },
    ],
  },
  {
    code: "version/none-available",
    breaks: { config: `${identity} version_policy { specific { versions: 2 } }`, ...folders("1", "3") },
    says: "`m` has no version folder that its version policy selects",
    help: "create a folder `2` in the model's folder, or list 1, 3 in `specific`",
    at: "version_policy",
    passes: [{ config: `${identity} version_policy { specific { versions: [ 2, 1 ] } }`, ...folders("1") }],
  },
  {
    code: "version/none-available",
    breaks: { config: `${identity} version_policy { specific { versions: 3 } }`, ...folders("data") },
    says: "`m` has no version folder that its version policy selects",
    help: "create a folder `3` in the model's folder",
    at: "version_policy",
    passes: [{ config: `${identity} version_policy { specific { versions: 3 } }`, ...folders("3") }],
  },
  {
    code: "version/none-available",
    breaks: { config: `${identity} version_policy { specific { versions: -1 } }`, ...folders("1") },
    says: "`m` has no version folder that its version policy selects",
    help: "such a version cannot exist: list 1 in `specific`",
    at: "version_policy",
    passes: [{ config: `${identity} version_policy { latest { num_versions: 1 } }`, ...folders("1") }],
  },
  {
    code: "version/too-large",
    breaks: { config: identity, ...folders("1", "9223372036854775808") },
    says: "version folder `9223372036854775808` of `m` crashes the server: the number does not fit into 64 bits",
    at: "backend",
    passes: [{ config: identity, ...folders("9223372036854775807") }],
  },
  {
    code: "version/ignored-folder",
    breaks: { config: identity, ...folders("1", "02") },
    says: "Triton ignores folder `02` of `m`: a version is a number without leading zeros",
    at: "backend",
    passes: [
      { config: identity, ...folders("1", "assets") },
      { config: identity, ...folders("0", "10") },
    ],
  },
  {
    code: "version/not-a-number",
    breaks: { config: identity, ...folders("1", "3.5") },
    says: "Triton mistakes folder `3.5` of `m` for version 3, and looks for `3`",
    at: "backend",
    passes: [
      { config: identity, ...folders("35") },
      { config: identity, ...folders("1", "v2") },
    ],
  },
  {
    code: "version/not-a-number",
    breaks: { config: identity, ...folders("1", "-1") },
    says: "Triton mistakes folder `-1` of `m` for version 18446744073709551615, and looks for `18446744073709551615`",
    help: "rename it to a non-negative number, or to a name that begins with a letter",
    at: "backend",
    passes: [{ config: identity, ...folders("1", "-x") }],
  },
  {
    code: "version/missing",
    breaks: { config: `${identity} version_policy { specific { versions: [ 1, 7 ] } }`, ...folders("1") },
    says: "`m` asks for version 7, which has no folder",
    at: "7",
    passes: [
      { config: `${identity} version_policy { specific { versions: [ 1, 7 ] } }`, ...folders("1", "7") },
    ],
  },
];
