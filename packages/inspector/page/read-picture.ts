import { type PictureForm, type PictureValue, pixelsFor, scalingsOf } from "@tritype/inspector/view";

/** The picture of a file, upright, with its own colors. @throws Error if the browser cannot read it. */
export const readPicture = async (file: File, dtype: string, form: PictureForm): Promise<PictureValue> => {
  const bitmap = await createImageBitmap(file, { colorSpaceConversion: "none" });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("no canvas");
  context.drawImage(bitmap, 0, 0);
  const pixels = pixelsFor(form, context.getImageData(0, 0, width, height));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [scaling = "bytes"] = scalingsOf(dtype, form);
  return { kind: "picture", name: file.name, type: file.type, bytes, form, scaling, ...pixels };
};
