// Photos as robots send them.
import sharp from 'sharp';
import { json } from './server-process.mjs';

/** Returns a JPEG with enough detail to be as large as a photo. */
export async function picture({ width, height, isTurned }) {
  const [columns, rows] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const pixels = Buffer.alloc(columns * rows * 3);
  let state = 7;
  for (let i = 0; i < pixels.length; i++) {
    state = (state * 48_271) % 2_147_483_647;
    pixels[i] = 60 + (state % 120);
  }
  const small = sharp(pixels, { raw: { width: columns, height: rows, channels: 3 } });
  const jpeg = small.resize(width, height, { fit: 'fill' }).jpeg({ quality: width > 4000 ? 40 : 80 });
  return (isTurned ? jpeg.withMetadata({ orientation: 6 }) : jpeg).toBuffer();
}

/** Uploads one photo as a robot does; returns the id of its image. */
export async function send(base, token, bytes) {
  const { form_data, url } = await json(base, 'GET', '/api/storage_auth', token);
  const form = new FormData();
  for (const [name, value] of Object.entries(form_data)) if (name !== 'file') form.append(name, value);
  form.append('file', new Blob([bytes], { type: 'image/jpeg' }), '/tmp/images/1.jpg');
  const response = await fetch(`http:${url}`, { method: 'POST', body: form });
  if (!response.ok) throw new Error(await response.text());
  const image = { attachment_url: `http:${url}${form_data.key}`, meta: { x: 1, y: 2, z: 3, name: 'bench' } };
  return (await json(base, 'POST', '/api/images', token, image)).id;
}
