/** Whether the text of a file may branch on a value. False matches in comments and strings only cost time. */
export const mayDecide = (text: string): boolean => decision.test(text);
const decision =
  /\b(?:if|while|switch|Boolean|filter|some|every|find\w*)\s*\(|\bfor\s*\([^;)]*;|&&|\|\||\?\?|[!=]=|(?<!\?)\?(?![.:?),\]=;])|(?<![\w)\]}"'`])!\s*[\w([{]/;
