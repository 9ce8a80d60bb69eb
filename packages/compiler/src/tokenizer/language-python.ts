import type { Languages, TokenizerTwinOptions } from "@tritype/manifest";
import { literal } from "./python-parts.ts";

/** The id of every language as a constant of `model.py`. */
export const languagesConstant = ({ languages }: TokenizerTwinOptions): string =>
  languages === undefined
    ? ""
    : `LANGUAGES = {\n${Object.entries(languages.ids)
        .map(([code, id]) => `    ${literal(code)}: ${id},\n`)
        .join("")}}\n`;

/** Puts the tokens of source languages into padded rows. */
export const withLanguages = ({ languages }: TokenizerTwinOptions): string =>
  languages?.source === true
    ? `        rows = [with_language(row, language) for row, language in zip(rows, sources)]\n`
    : "";

/** The functions of `model.py` for languages; "" where no request names any. */
export const languageFunctions = (options: TokenizerTwinOptions): string =>
  options.languages === undefined
    ? ""
    : `${options.languages.source ? withLanguage(options, options.languages) : ""}${readLanguages}`;

const withLanguage = (options: TokenizerTwinOptions, { at, replaces }: Languages): string => {
  const left = options.pad.side === "left";
  // Left padding comes before the row, right padding after it.
  const place =
    at < 0
      ? left
        ? `len(row) - ${-at}`
        : `len(row) - row.attention_mask.count(0) - ${-at}`
      : left
        ? `row.attention_mask.count(0)${at === 0 ? "" : ` + ${at}`}`
        : `${at}`;
  const body = replaces
    ? `\
    fields["ids"][${place}] = language
`
    : `\
    token = {"ids": language, "attention_mask": 1, "type_ids": 0, "special_tokens_mask": 1, "offsets": (0, 0)}
    for name, values in fields.items():
        values.insert(${place}, token[name])
`;
  return `
def with_language(row, language):
    """A padded row with the token of its source language ${replaces ? "in place of the file's own" : "in front"}."""
    fields = {name: getattr(row, name) for name in FIELDS.values()}
${body}    return SimpleNamespace(**fields)

`;
};

const readLanguages = `
def read_languages(request, name):
    """The ids of the tokens of the languages that a request names."""
    ids = []
    for row, language in enumerate(read_texts(request, name)):
        if language not in LANGUAGES:
            raise InvalidRequest(f"row {row} of {name} is {unknown(language)}")
        ids.append(LANGUAGES[language])
    return ids


def unknown(language):
    """A language that there is not, those that there are, and the nearest."""
    said = json.dumps(language if len(language) <= 40 else language[:40] + "…", ensure_ascii=False)
    first, rest = list(LANGUAGES)[:5], len(LANGUAGES) - 5
    others = f" and {rest} more" if rest > 0 else ""
    near = nearest(language)
    return f"{said}; the languages are {', '.join(first)}{others}" + (f"; did you mean {near}?" if near else "")


def nearest(language):
    if not (2 <= len(language) <= 40 and all("!" <= char <= "~" for char in language)):
        return None
    given = language.lower()
    alike = [code for code in LANGUAGES if code.lower().startswith(given) or given.startswith(code.lower())]
    if alike:
        return max(alike, key=len)
    scored = [(distance(given, code.lower()), code) for code in LANGUAGES]
    least, near = min(scored, key=lambda pair: pair[0])
    return near if least <= max(1, len(language) // 3) else None


def distance(a, b):
    """Insertions, deletions, replacements and swaps of two neighbours each cost 1."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, rows[i - 2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]

`;
