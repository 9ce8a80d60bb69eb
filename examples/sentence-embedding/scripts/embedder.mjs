import { InferenceSession, Tensor } from "onnxruntime-node";
import { Tokenizer } from "tokenizers";

/**
 * Embeds texts: tokenizer → encoder → masked mean → L2 norm, as the example's pipeline does.
 * @param {string | Uint8Array} model an ONNX encoder
 * @param {string} tokenizerFile
 */
export const newEmbedder = async (model, tokenizerFile) => {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const tokenizer = Tokenizer.fromFile(tokenizerFile);
  // The file asks for Fixed(128) padding.
  tokenizer.disablePadding();
  tokenizer.setTruncation(256);

  /** Rows of token ids, padded to the longest or to `length` → unit vectors. */
  const embedIds = async (rows, length = Math.max(...rows.map((row) => row.length))) => {
    const padded = (pick) => {
      const data = new BigInt64Array(rows.length * length);
      rows.forEach((row, r) => row.forEach((id, c) => (data[r * length + c] = BigInt(pick(id)))));
      return new Tensor("int64", data, [rows.length, length]);
    };
    const { last_hidden_state: states } = await session.run({
      input_ids: padded((id) => id),
      attention_mask: padded(() => 1),
      token_type_ids: padded(() => 0),
    });
    const size = states.dims[2];
    return rows.map((row, r) => meanOfRows(states.data, r * length, row.length, size));
  };
  const tokenize = async (texts) => (await tokenizer.encodeBatch(texts)).map((one) => one.getIds());
  const embed = async (texts) => {
    const vectors = [];
    for (const row of await tokenize(texts)) vectors.push(unit((await embedIds([row]))[0]));
    return vectors;
  };
  return { tokenizer, tokenize, embedIds, embed, close: () => session.release() };
};

const meanOfRows = (data, firstRow, count, size) => {
  const mean = new Float64Array(size);
  for (let row = firstRow; row < firstRow + count; row++)
    for (let i = 0; i < size; i++) mean[i] += data[row * size + i] / count;
  return mean;
};

/** The vector divided by its length; a zero vector stays zero. */
export const unit = (vector) => {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((x) => x / length);
};

/** Cosine similarity of unit vectors. */
export const cosine = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
