import type { Case } from "./case.ts";
import { numbers, strings } from "./rows.ts";

const dates: readonly (string | number | null)[] = [
  "2024-02-29T12:34:56.789Z",
  "2026-03-29T01:30:00Z",
  "2026-10-25T00:59:59.999Z",
  "1969-12-31T23:59:59Z",
  "0001-01-01T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "-000001-12-31T00:00:00Z",
  "2026-02-30",
  "2026-13-01",
  "Tue, 05 Nov 2024 08:00:00 +0530",
  "5 March 2021",
  "",
  "tomorrow",
  0,
  8.64e15,
  8.64e15 + 1,
  -1,
  1e12 + 0.9,
  null,
];

const iso = (given: string): string => new Date(given).toISOString();

const parts = (given: string): unknown => {
  const date = new Date(given);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCDay(),
    date.getUTCHours(),
    date.getTime(),
    String(date.toJSON()),
  ];
};

const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "UTC",
  "Australia/Lord_Howe",
] as const;

const inZones = (given: string): unknown =>
  ZONES.map((timeZone) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "long" }).format(
      new Date(given),
    ),
  );

/** Minutes that a zone is ahead of UTC. */
const offset = ({ date, timeZone }: { date: string; timeZone: string }): number => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name =
    format.formatToParts(new Date(date)).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
};

const spoken = ({ date, locale }: { date: string; locale: string }): unknown => {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: "full",
    timeStyle: "medium",
    timeZone: "Asia/Tokyo",
  });
  return [
    format.format(new Date(date)),
    format.resolvedOptions().calendar,
    format.resolvedOptions().numberingSystem,
  ];
};

/** ISO week of a date. */
const week = (given: string): string => {
  const day = new Date(given);
  day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
  const start = Date.UTC(day.getUTCFullYear(), 0, 1);
  const number = Math.ceil(((day.getTime() - start) / 86_400_000 + 1) / 7);
  if (Number.isNaN(number)) throw new RangeError(`${given} is not a date`);
  return `${day.getUTCFullYear()}-W${String(number).padStart(2, "0")}`;
};

const addMonths = ({ date, months }: { date: string; months: number }): unknown => {
  const start = new Date(date);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + months);
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);
  return end;
};

const local = (given: string): unknown => {
  const date = new Date(given);
  return [
    date.toString(),
    date.toLocaleDateString(),
    date.toLocaleTimeString("de-DE"),
    date.getTimezoneOffset(),
    date.getHours(),
  ];
};

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

const ago = ({ seconds, locale }: { seconds: number; locale: string }): string => {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS[6];
  return format.format(-Math.trunc(seconds / size), unit);
};

const LOCALES = ["en", "de-CH", "fr", "hi-IN", "ar-EG", "ja", "es"] as const;

const amounts = (value: number | string): unknown =>
  LOCALES.map((locale) => [
    new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).format(Number(value)),
    new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 }).format(Number(value)),
    Number(value).toLocaleString(locale),
  ]);

const formatted = ({
  value,
  locale,
  options,
}: {
  value: number;
  locale: string;
  options: Intl.NumberFormatOptions;
}): unknown =>
  new Intl.NumberFormat(locale, options)
    .formatToParts(value)
    .map(({ type, value: text }) => `${type}:${text}`);

const sorted = ({
  words,
  locale,
  options,
}: {
  words: string[];
  locale?: string;
  options?: Intl.CollatorOptions;
}): string[] => words.toSorted(new Intl.Collator(locale, options).compare);

const compared = (words: string[]): number[] =>
  words.map((word, at) => word.localeCompare(words[at + 1] ?? "", "sv", { sensitivity: "base" }));

const graphemes = (text: string): unknown => {
  const all = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(
    ({ segment }) => segment,
  );
  return { count: all.length, reversed: all.toReversed().join("").slice(0, 200) };
};

const words = (text: string): unknown => {
  const segments = new Intl.Segmenter("ja", { granularity: "word" }).segment(text);
  return [...segments]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => [segment, index])
    .slice(0, 50);
};

const RULES = {
  one: "item",
  two: "items (dual)",
  few: "items (few)",
  many: "items (many)",
  other: "items",
  zero: "no items",
};

const plural = (count: number | string): unknown =>
  ["en", "pl", "ar", "ru", "cy"].map((locale) => {
    const rule = new Intl.PluralRules(locale).select(Number(count));
    return `${count} ${RULES[rule]} ${new Intl.PluralRules(locale, { type: "ordinal" }).select(Number(count))}`;
  });

const lists = ({ items, locale }: { items: string[]; locale: string }): string =>
  new Intl.ListFormat(locale, { style: "long", type: "conjunction" }).format(items);

const names = (codes: string[]): unknown =>
  codes.map((code) => [
    new Intl.DisplayNames("en", { type: "language" }).of(code),
    new Intl.Locale(code).maximize().toString(),
  ]);

const given = (locale: string) => dates.map((date) => ({ date, locale }));

export const cases: readonly Case[] = [
  { name: "iso", run: iso, rows: dates },
  { name: "parts", run: parts, rows: dates },
  { name: "inZones", run: inZones, rows: dates },
  {
    name: "offset",
    run: offset,
    rows: [
      ...dates.map((date) => ({ date, timeZone: "America/St_Johns" })),
      { date: "2020-01-01", timeZone: "Mars/Base" },
      { date: "2020-07-01", timeZone: "Europe/Dublin" },
      { date: "1900-01-01", timeZone: "Europe/Amsterdam" },
    ],
  },
  {
    name: "spoken",
    run: spoken,
    rows: [
      ...given("fa-IR").slice(0, 5),
      ...given("th-TH").slice(3, 8),
      ...given("zh-u-nu-hanidec").slice(0, 3),
      { date: "2020-01-01", locale: "not a locale" },
      {},
    ],
  },
  { name: "week", run: week, rows: dates },
  {
    name: "addMonths",
    run: addMonths,
    rows: [
      ...dates.map((date) => ({ date, months: 1 })),
      { date: "2024-01-31", months: 13 },
      { date: "2024-03-31", months: -1 },
      { date: "2024-01-31", months: 1e9 },
      { date: "2024-01-31" },
    ],
  },
  { name: "local", run: local, rows: dates },
  {
    name: "ago",
    run: ago,
    rows: [
      ...[0, 1, -59, 3600, -86400, 1e9, 0.5, -1e15].flatMap((seconds) =>
        ["en", "de", "ar"].map((locale) => ({ seconds, locale })),
      ),
      { seconds: 1, locale: "x" },
      { seconds: null, locale: "en" },
      { locale: "en" },
    ],
  },
  { name: "amounts", run: amounts, rows: numbers },
  {
    name: "formatted",
    run: formatted,
    rows: [
      { value: 1234.5, locale: "de", options: { style: "unit", unit: "kilometer-per-hour" } },
      { value: -0.00001, locale: "en-IN", options: { notation: "engineering", signDisplay: "always" } },
      { value: 12, locale: "en", options: { style: "currency" } },
      { value: 12, locale: "en", options: { style: "currency", currency: "EU" } },
      { value: 12, locale: "en", options: { maximumFractionDigits: 101 } },
      { value: 0.255, locale: "en", options: { style: "percent", maximumFractionDigits: 0 } },
      { value: null, locale: "bn", options: {} },
      { value: 1, locale: 5 },
    ],
  },
  {
    name: "sorted",
    run: sorted,
    rows: [
      { words: ["z", "ä", "a", "Z", "Ä", "o", "ö"], locale: "sv" },
      { words: ["z", "ä", "a", "Z", "Ä", "o", "ö"], locale: "de", options: { caseFirst: "upper" } },
      { words: ["file10", "file9", "File2", "file 1"], options: { numeric: true } },
      { words: strings, locale: "en" },
      { words: ["😀", "\ud800", "", "e\u0301", "é"], locale: "fr" },
      { words: ["a"], locale: "de-u-co-phonebk-" },
      { words: ["a"], locale: "en", options: { sensitivity: "some" } },
      { words: [null, 2, "1"] },
      {},
    ],
  },
  {
    name: "compared",
    run: compared,
    rows: [["a", "á", "b", "B"], [], strings, ["\ud800", "😀"], [1], "ab", null],
  },
  { name: "graphemes", run: graphemes, rows: strings },
  { name: "words", run: words, rows: strings },
  { name: "plural", run: plural, rows: [...numbers, 2, 3, 11, 21, 101] },
  {
    name: "lists",
    run: lists,
    rows: [
      { items: ["a", "b", "c"], locale: "en" },
      { items: [], locale: "en" },
      { items: ["x"], locale: "ar" },
      { items: ["uno", "dos"], locale: "es" },
      { items: ["a", 1], locale: "en" },
      { items: "ab", locale: "en" },
      { items: null, locale: "en" },
      { items: ["a"], locale: "toString" },
    ],
  },
  {
    name: "names",
    run: names,
    rows: [
      ["de", "zh-Hant", "sr"],
      [],
      ["xx"],
      ["not-a-valid-tag-because-long"],
      ["en_US"],
      [""],
      ["und"],
      null,
    ],
  },
];
