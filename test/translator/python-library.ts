import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * The parts of Python's library that emitted Python may use, with the version that introduced them (docs.python.org,
 * "New in version").
 */
const since: Readonly<Record<string, string>> = {
  "3.0": `.append .cast .clear .decode .encode .end .endswith .expand .extend .find .findall .finditer .fromkeys .fullmatch .get .groupdict .groupindex .groups
    .index .insert .items .join .keys .ljust .lower .lstrip .match .pop .quantize .re .remove .replace .reverse .rfind .rstrip .scaleb .search .setdefault .sort
    .split .start .startswith .string .strip .sub .subn .translate .update .upper .values .__context__ .__getitem__ .__init__ .__sub__ .__suppress_context__
    .adjusted .as_tuple .digits .fromhex .parse .plus .quote base64.b64decode base64.b64encode bisect.bisect_left bisect.bisect_right bisect.insort_right
    decimal.Context decimal.Decimal decimal.ROUND_HALF_UP functools.reduce json.JSONEncoder json.encoder json.encoder.encode_basestring
    json.loads math.ceil math.copysign math.e math.floor math.fmod math.pi math.sqrt math.trunc re.A re.I re.M re.S re.X re.compile re.escape re.search re.sub
    struct.pack struct.unpack unicodedata.category unicodedata.normalize unicodedata.unidata_version`,
  "3.1": ".bit_length",
  "3.2": "functools.cmp_to_key",
  "3.3": "math.log2",
  "3.4": "re.fullmatch",
  "3.5": "math.inf math.nan",
  "3.7": ".isascii",
  "3.9": "math.nextafter",
  "3.10": ".obj",
};
/** Attributes of the support code's own errors. */
const own = [".message", ".name"];
const known: ReadonlySet<string> = new Set([
  ...own,
  ...Object.values(since).flatMap((names) => names.trim().split(/\s+/)),
]);

/**
 * Names of Python's library in these programs that Python 3.10 may lack. Throws for a program that is invalid in 3.10's
 * grammar. Requires CPython 3.10 or later.
 */
export const newerThanPython310 = (programs: readonly string[]): readonly string[] => {
  const script = fileURLToPath(new URL("python-names.py", import.meta.url));
  const names = execFileSync(process.env["TRITYPE_PYTHON"] || "python3", ["-I", script], {
    input: JSON.stringify(programs),
    maxBuffer: 1e8,
  });
  return (JSON.parse(names.toString()) as string[]).filter((name) => !known.has(name));
};
