import type { HttpResponse } from '../../support/http-client.ts';
import { textAt } from '../../support/json.ts';
import type { ProxyServer } from './proxy-server.ts';

/** Headers of {@link sendUpload}'s forms. */
export const formType = { 'content-type': 'multipart/form-data; boundary=upload' };

/** Uploads a file through a proxy like a robot. Returns the response, and the URL for the image record. */
export async function sendUpload(
  proxy: ProxyServer,
  token: string,
  file: Buffer,
): Promise<{ readonly response: HttpResponse; readonly url: string }> {
  const { json } = await proxy.send('/api/storage_auth', { headers: { authorization: token } });
  const url = textAt(json, 'url');
  const field = (name: string, value: string) =>
    `--upload\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const fields = ['key', 'signature'].map((name) => field(name, textAt(json, `form_data.${name}`))).join('');
  const start = '--upload\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(fields + start), file, Buffer.from('\r\n--upload--\r\n')]);
  const path = new URL(`https:${url}`).pathname;
  const response = await proxy.send(path, { method: 'POST', headers: formType, body });
  return { response, url: `https:${url}${textAt(json, 'form_data.key')}` };
}
