import { extname } from 'node:path';

/** Content types by file extension. With `nosniff`, browsers accept scripts and styles of the right type only. [rule W6] */
const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bin: 'application/octet-stream',
  bmp: 'image/bmp',
  css: 'text/css; charset=utf-8',
  eot: 'application/vnd.ms-fontobject',
  gif: 'image/gif',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  hdr: 'image/vnd.radiance',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  obj: 'model/obj',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  stl: 'model/stl',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webm: 'video/webm',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xml: 'application/xml',
};

/** The content type of a file. */
export const fileType = (name: string): string =>
  types[extname(name).slice(1).toLowerCase()] ?? 'application/octet-stream';

/** A hash in a file name of a bundler: eight or more characters after a dash or a dot, unlike any word. */
const hashed =
  /[-.](?:(?=[0-9a-f]*\d)[0-9a-f]{8,64}|(?=[A-Z2-7]*\d)[A-Z2-7]{8}|(?=[\w-]*\d)(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{8})\.[a-z0-9]{1,5}(?:\.map)?$/;

/** Whether a file name contains a hash of the content; false in case of doubt. */
export const isHashed = (name: string): boolean => hashed.test(name);

/** The `Cache-Control` header of content that never changes; a year is the customary maximum. */
export const cachedForever = 'public, max-age=31536000, immutable';
