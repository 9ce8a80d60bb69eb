import { EigenvalueDecomposition, Matrix } from "ml-matrix";

/** Ids below this are special, unused or single characters; from here on BERT's vocabulary is sorted by frequency. */
const firstWord = 1996;
const special = new Set(["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"]);
const punctuation = /^[\p{P}\p{S}]$/u;

/**
 * The weight of a token in a mean: log(1 + rank by frequency); 0.1 for punctuation, 0 for special and unused tokens.
 * @param {string} token @param {number} id
 */
export const weightOf = (token, id) => {
  if (special.has(token) || token.startsWith("[unused")) return 0;
  if (punctuation.test(token)) return 0.1;
  return Math.log(1 + Math.max(1, id - firstWord + 1));
};

/**
 * Token vectors reduced to `size` dims by PCA, each dim divided by the fourth root of its variance, each row times its weight.
 * @param {readonly Float64Array[]} vectors one per token
 * @param {readonly string[]} tokens
 * @param {number} size
 * @returns {Float64Array[]}
 */
export const staticTable = (vectors, tokens, size) => {
  const isLatin = (token) =>
    !/[^\p{ASCII}\u0080-\u00ff]/u.test(token) && !/^\[(unused\d+|[A-Z]+)\]$/.test(token);
  const fitted = vectors.filter((_, id) => isLatin(tokens[id]));
  const mean = meanOf(fitted);
  const { directions, variances } = principal(fitted, mean, size);
  return vectors.map((vector, id) => {
    const weight = weightOf(tokens[id], id);
    return Float64Array.from(directions, (direction, k) => {
      let projection = 0;
      for (let i = 0; i < mean.length; i++) projection += (vector[i] - mean[i]) * direction[i];
      return (weight * projection) / variances[k] ** 0.25;
    });
  });
};

const meanOf = (vectors) => {
  const mean = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (let i = 0; i < mean.length; i++) mean[i] += vector[i] / vectors.length;
  return mean;
};

/** The directions of largest variance; the sign makes the largest component positive. */
const principal = (vectors, mean, size) => {
  const n = mean.length;
  const covariance = Array.from({ length: n }, () => new Float64Array(n));
  const centred = new Float64Array(n);
  for (const vector of vectors) {
    for (let i = 0; i < n; i++) centred[i] = vector[i] - mean[i];
    for (let i = 0; i < n; i++) {
      const row = covariance[i];
      const x = centred[i] / vectors.length;
      for (let j = 0; j <= i; j++) row[j] += x * centred[j];
    }
  }
  const full = new Matrix(n, n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) full.set(i, j, covariance[i][j]).set(j, i, covariance[i][j]);
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(full, { assumeSymmetric: true });
  const order = realEigenvalues.map((_, k) => k).toSorted((a, b) => realEigenvalues[b] - realEigenvalues[a]);
  const kept = order.slice(0, size);
  return {
    directions: kept.map((k) => oriented(eigenvectorMatrix.getColumn(k))),
    variances: kept.map((k) => realEigenvalues[k]),
  };
};

const oriented = (direction) => {
  const largest = direction.reduce((best, x) => (Math.abs(x) > Math.abs(best) ? x : best), 0);
  return direction.map((x) => (largest < 0 ? -x : x));
};
