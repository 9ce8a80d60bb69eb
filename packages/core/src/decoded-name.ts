/** A name from an address; unchanged if it is not encoded correctly. */
export const decodedName = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
