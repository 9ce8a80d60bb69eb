const words =
  "a the of and to in is on for with was by as that river bridge market train summer winter music paper garden teacher engine doctor window travel quickly never always against beautiful information naïve Zürich 東京 café unbelievable transformer tokenization".split(
    " ",
  );

/** `count` sentences of 6 to 20 words, the same on every run. */
export const sentences = (count) => {
  let state = 1;
  const next = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 6 + next(15) }, () => words[next(words.length)]).join(" "),
  );
};
