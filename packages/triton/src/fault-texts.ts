/** Messages of protobuf's parser that other code recognizes; a name or a value may follow. */
export const faultTexts = {
  fieldName: "illegal field name",
  colon: "expected ':'",
  listEnd: "expected ']'",
  string: "expected string",
  bool: "bool value expected",
  openString: "the string is not closed on its line",
} as const;
