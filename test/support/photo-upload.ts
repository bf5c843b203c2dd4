import sharp from 'sharp';

/** Creates a JPEG of one color. */
export const solidColorPicture = (red: number, width = 64): Promise<Buffer> =>
  sharp({ create: { width, height: 48, channels: 3, background: { r: red, g: 120, b: 60 } } })
    .jpeg()
    .toBuffer();

interface Permission {
  readonly url: string;
  readonly form_data: Readonly<Record<string, string>>;
}

/** Uploads a photo like a robot: requests the upload policy, uploads the file, creates the image. Returns the image's id; it may not be processed yet. */
export async function uploadPhoto(base: string, token: string, picture: Buffer, meta: object = {}): Promise<number> {
  const headers = { authorization: token, 'user-agent': 'test', 'content-type': 'application/json' };
  const permission = (await (await fetch(`${base}/api/storage_auth`, { headers })).json()) as Permission;
  const form = new FormData();
  for (const [name, value] of Object.entries(permission.form_data)) if (name !== 'file') form.append(name, value);
  form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'photo.jpg');
  const address = `http:${permission.url}`;
  const uploaded = await fetch(address, { method: 'POST', body: form, headers: { 'user-agent': 'test' } });
  if (uploaded.status !== 200) throw new Error(`upload: ${uploaded.status} ${await uploaded.text()}`);
  const body = JSON.stringify({ attachment_url: address + permission.form_data.key, meta });
  const response = await fetch(`${base}/api/images`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`POST /api/images: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
}

/** Waits until a photo is processed and returns its URL. Throws after a minute. */
export async function processedPhotoUrl(base: string, token: string, id: number): Promise<string> {
  const headers = { authorization: token, 'user-agent': 'test' };
  for (const end = Date.now() + 60_000; ; ) {
    const image = (await (await fetch(`${base}/api/images/${id}`, { headers })).json()) as Record<string, unknown>;
    if (image.attachment_processed_at !== null) return String(image.attachment_url);
    if (Date.now() > end) throw new Error(`image ${id} was not processed`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
