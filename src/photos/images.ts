import Type from 'typebox';
import type { FieldFailures } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { RowOf } from '../db/table.ts';
import { custom, oneOf, text, time } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, floatKind, modelProblem, Problem, textKind } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';

/** What a client says about a photo: where it was taken, and whatever else it likes to keep. */
export type PhotoMeta = Readonly<Record<string, unknown>>;

/** Bytes of all that is said about one photo, as JSON: a list holds hundreds of them. */
const largestMeta = 10_000;

/** The keys that clients read, and what they must hold; null leaves one out. [reference 9.2] */
const known = { x: floatKind, y: floatKind, z: floatKind, name: textKind } as const;

function parse(value: unknown, name: string): PhotoMeta | Problem {
  if (!isObject(value)) return fieldProblem(name, 'must be an object');
  const meta: Record<string, unknown> = { ...value };
  const failures: FieldFailures = {};
  for (const [key, kind] of Object.entries(known)) {
    if (!Object.hasOwn(meta, key)) continue;
    const one = meta[key] === null ? null : kind.parse(meta[key], key);
    if (one === null) delete meta[key];
    else if (one instanceof Problem) failures[key] = one.failure;
    else meta[key] = one;
  }
  if (Object.keys(failures).length > 0) return new Problem(failures);
  return Buffer.byteLength(JSON.stringify(meta)) > largestMeta
    ? modelProblem(name, `is too large (at most ${largestMeta} bytes)`)
    : meta;
}

/** A free object, in which only the keys that clients know have types. [Spec images] */
const metaKind: Kind<PhotoMeta> = {
  column: 'json',
  parse,
  cast: parse,
  output: Type.Record(Type.String(), Type.Unknown()),
  input: Type.Record(Type.String(), Type.Unknown()),
};

/** The path of what stands for a photo that is not there yet. Clients hide photos whose address holds the word `placeholder`. [client web app] */
export const placeholderPath = '/placeholder_farmbot.jpg';

/** Where photos are found, under their device's id and their own key. */
export const photosPath = '/photos';

/** The kinds of files that photos are kept as, by their endings. */
export const photoTypes = ['jpg', 'png', 'webp'] as const;
export type PhotoType = (typeof photoTypes)[number];

const address = `"images"."origin" || case when "images"."photo_type" is null then '${placeholderPath}?text=Processing...' else '${photosPath}/' || "images"."device_id" || '/' || "images"."photo_key" || '.' || "images"."photo_type" end`;

/** A photo. Its column `attachment_url` holds the address that was sent; shown is the one under which the server has it. [Spec images] */
export const images = resource('images', {
  description: 'A photo of the garden.',
  announced: 'Image',
  showsDevice: true,
  newestFirst: true,
  destroyReply: 'empty',
  indexes: [['device_id', 'created_at'], ['upload_key']],
  fields: {
    attachment_processed_at: time().nullByDefault().readOnly().describe('When the photo was there; null until then.'),
    attachment_url: text()
      .required()
      .onCreateOnly()
      .shownAs(address)
      .describe(
        'Sent: where the photo is to be had. Shown: where this server has it, or something that stands for it until then.',
      ),
    meta: custom<PhotoMeta>(metaKind).default({}),
    /** Scheme and host under which the client that made it reached the server; answers put in those of who asks. */
    origin: text().readOnly().hidden(),
    /** Names its files; 128 random bits, so that nobody guesses its address. */
    photo_key: text().readOnly().hidden(),
    /** What its files are; null until they are there. */
    photo_type: oneOf(...photoTypes)
      .nullByDefault()
      .readOnly()
      .hidden(),
    /** The key of the upload that it was made from; null where it came from elsewhere. */
    upload_key: text().nullByDefault().readOnly().hidden(),
  },
});

export type ImageRow = RowOf<typeof images>;
