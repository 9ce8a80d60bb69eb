/** Errors raised by the tests' own models, which no table can contain. */
export const isOwnWords = (text: string): boolean => ownWords.test(text);

const ownWords = /(?:"|\] |, )(?:no \d|bad row)"?\}?$|^\{"error":"onnx runtime error: 'utf-8' codec/;
