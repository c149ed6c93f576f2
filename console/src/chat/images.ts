// Pictures that a user adds: made small enough to be sent, in the browser.

const LONGEST_SIDE = 1568; // models see no more of a picture
const MOST_BYTES = 600_000;
export const MOST_IMAGES = 4;
export const IMAGE_TYPES = "image/png,image/jpeg,image/webp,image/gif";

/** The picture as a data URL; null for what is none. */
export async function asDataUrl(file: File, room: number): Promise<string | null> {
  const most = Math.min(MOST_BYTES, room);
  if (file.size <= most && IMAGE_TYPES.split(",").includes(file.type)) return read(file);
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return null;
  for (let side = LONGEST_SIDE; side >= 256; side = Math.round(side * 0.7)) {
    const blob = await drawn(picture, side);
    if (blob && blob.size <= most) return read(blob);
  }
  return null;
}

async function drawn(picture: ImageBitmap, side: number): Promise<Blob | null> {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise(resolve => canvas.toBlob(resolve, "image/jpeg", 0.85));
}

function read(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
