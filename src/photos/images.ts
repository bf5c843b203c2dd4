import type { FieldFailures } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { isObject } from '../core/json.ts';
import type { RowOf } from '../db/table.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { bigint, custom, float, oneOf, text, time } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, modelProblem, Problem } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';

/** The metadata of a client for a photo: where it was taken, and anything else. */
export type PhotoMeta = Readonly<Record<string, unknown>>;

/** Bytes of the JSON; a list holds hundreds of them. */
const maxMetaSize = 10_000;

/** The keys with a type; null removes one. [rule F3] */
const typedKeys = {
  x: float().label(labels.x).unit('mm'),
  y: float().label(labels.y).unit('mm'),
  z: float().label(labels.z).unit('mm'),
  name: text().label(labels.name),
};

function parse(value: unknown, name: string): PhotoMeta | Problem {
  if (!isObject(value)) return fieldProblem(name, sayOfField.object);
  const meta: Record<string, unknown> = { ...value };
  const failures: FieldFailures = {};
  for (const [key, { kind }] of Object.entries(typedKeys)) {
    if (!Object.hasOwn(meta, key)) continue;
    const one = meta[key] === null ? null : kind.parse(meta[key], key);
    if (one === null) delete meta[key];
    else if (one instanceof Problem) failures[key] = one.failure;
    else meta[key] = one;
  }
  if (Object.keys(failures).length > 0) return new Problem(failures);
  return Buffer.byteLength(JSON.stringify(meta)) > maxMetaSize
    ? modelProblem(name, sayOfField.maxSize, maxMetaSize)
    : meta;
}

const metaSchema = Type.Object(
  Object.fromEntries(Object.entries(typedKeys).map(([key, { output }]) => [key, Type.Optional(output)])),
  { additionalProperties: true, description: 'Where it was taken, and anything else.' },
);

/** A free object with a few typed keys. [rule F3] */
const metaKind: Kind<PhotoMeta> = {
  column: 'json',
  parse,
  cast: parse,
  output: metaSchema,
  input: metaSchema,
};

/** The path of the picture shown until a photo is processed. [rule F4] */
export const placeholderPath = '/placeholder_farmbot.jpg';

/** The value of `text` in its query where there is no photo and will be none. [rule F6] */
export const unavailableText = 'Unavailable';

/** The path prefix of photos. */
export const photosPath = '/photos';

/** The types of stored photos, as file extensions. */
export const photoTypes = ['jpg', 'png', 'webp'] as const;
export type PhotoType = (typeof photoTypes)[number];

const placeholder = `'${placeholderPath}?text=' || case when "images"."byte_size" = 0 then '${unavailableText}' else 'Processing...' end`;
const address = `"images"."origin" || case when "images"."photo_type" is null then ${placeholder} else '${photosPath}/' || "images"."device_id" || '/' || "images"."photo_key" || '.' || "images"."photo_type" end`;

/** A photo. The column `attachment_url` holds the source URL; the JSON holds the URL on this server. [rule F4] */
export const images = resource('images', {
  tag: 'Photos',
  max: { quota: 'photos' },
  example: { attachment_url: 'https://photos.invalid/1.jpg', meta: { x: 100, y: 200, z: 0 } },
  shownExample: { attachment_url: 'http://localhost:3000/placeholder_farmbot.jpg?text=Processing...' },
  description: 'A photo of the garden.',
  changeLogName: 'Image',
  hasFiles: true,
  showsDevice: true,
  newestFirst: true,
  destroyReply: 'empty',
  indexes: [['device_id', 'created_at'], ['upload_key']],
  fields: {
    attachment_processed_at: time()
      .nullByDefault()
      .readOnly()
      .describe('When the photo was processed; null before.')
      .label('Ready since', 'Prête depuis'),
    attachment_url: text()
      .required()
      .onCreateOnly()
      .shownAs(address)
      .describe(
        'In requests: the source of the photo. In responses: its URL on this server, or that of a placeholder: before it is processed, and where it cannot be had (`text=Unavailable`).',
      )
      .label('File', 'Fichier'),
    meta: custom<PhotoMeta>(metaKind).default({}).label(labels.details),
    /** Scheme and host under which its creator reached the server; responses use the request's. */
    origin: text().readOnly().hidden(),
    /** Names its files; 128 random bits, so that the URL cannot be guessed. */
    photo_key: text().readOnly().hidden(),
    /** Null before it is processed. */
    photo_type: oneOf(...photoTypes)
      .nullByDefault()
      .readOnly()
      .hidden(),
    /** Of all its files; null before it is processed, 0 where there is no picture and will be none. */
    byte_size: bigint().nullByDefault().readOnly().hidden(),
    /** The upload that it was created from, if any. */
    upload_key: text().nullByDefault().readOnly().hidden(),
  },
});

export type ImageRow = RowOf<typeof images>;
