export const tokenizer = () => [];
