import { join } from "node:path";
import { Tokenizer } from "tokenizers";

/**
 * The example's ensemble written by hand: npm `tokenizers`, the encoder and the pooling model, nothing else.
 * @param open `openHere` or `openInWorker` of raw-session.mjs.
 */
export const openRawEmbed = async (repository, open) => {
  const tokenizer = Tokenizer.fromFile(join(repository, "tokenize", "1", "tokenizer.json"));
  tokenizer.disablePadding();
  tokenizer.setTruncation(256);
  const encoder = await open(join(repository, "encoder", "1", "model.onnx"));
  const pool = await open(join(repository, "embed_embedding", "1", "model.onnx"));
  return {
    run: async (texts) => {
      const { attention_mask, ...tokens } = await tokenize(tokenizer, texts);
      const { last_hidden_state } = await encoder.run({ ...tokens, attention_mask });
      return pool.run({ last_hidden_state: feed(last_hidden_state), attention_mask });
    },
    close: async () => {
      await encoder.close();
      await pool.close();
    },
  };
};

/** A tensor of this thread, or a feed received from a worker. */
const feed = (made) => (Array.isArray(made) ? made : [made.type, made.data, made.dims]);

const tokenize = async (tokenizer, texts) => {
  const encodings = await tokenizer.encodeBatch(texts, { addSpecialTokens: true });
  const length = Math.max(...encodings.map((encoding) => encoding.getLength()));
  const tensor = (values) => {
    const data = new BigInt64Array(texts.length * length);
    encodings.forEach((encoding, row) =>
      values(encoding).forEach((value, at) => {
        data[row * length + at] = BigInt(value);
      }),
    );
    return ["int64", data, [texts.length, length]];
  };
  return {
    input_ids: tensor((encoding) => encoding.getIds()),
    attention_mask: tensor((encoding) => encoding.getAttentionMask()),
    token_type_ids: tensor((encoding) => encoding.getTypeIds()),
  };
};
