import { useEffect, useState } from "preact/hooks";
import { bytesText, type FieldValue } from "@tritype/inspector/view";

/** The file of a field. */
export type FileValue = Extract<FieldValue, { kind: "file" | "picture" }>;

/** SVG is not shown, because it is markup. */
export const isPicture = ({ kind, type }: FileValue): boolean =>
  kind === "picture" || /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type);

/** An address for the content of a file; "" if there is no file, and until the address has been created. */
export const useFileUrl = (file: FileValue | undefined): string => {
  const [url, setUrl] = useState("");
  useEffect(() => {
    if (file === undefined) return setUrl("");
    const made = URL.createObjectURL(new Blob([file.bytes], { type: file.type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file?.bytes, file?.type]);
  return url;
};

export const sizeText = (value: FileValue): string => {
  if (value.kind === "file") return bytesText(value.bytes.byteLength);
  const { size, pixels, isScaled } = value;
  return `${size.width} × ${size.height}${isScaled ? `, scaled to ${pixels.width} × ${pixels.height}` : ""}`;
};
