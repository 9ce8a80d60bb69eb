"use strict";
function run({ text }) {
    const short = text.trim().replaceAll("\n", " ");
    // An empty text has no words.
    if (short === "")
        throw new RangeError("the text is empty");
    return { text: short.toLowerCase(), words: BigInt(short.split(" ").length) };
}
export { run };
