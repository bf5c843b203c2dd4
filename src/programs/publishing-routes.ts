import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { timeSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute, PublicRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { inputSchema, recordSchema } from '../engine/schemas.ts';
import { installVersion, upgradeSequence } from './installing.ts';
import type { AuthorDirectory } from './publishing.ts';
import { licenseFields, publishSequence, unpublishSequence } from './publishing.ts';
import { sequenceIdOf } from './sequence-routes.ts';
import { sequences } from './sequences.ts';
import { findFeaturedVersions, findPublicVersion } from './shared-versions.ts';

const id = Type.Integer({ minimum: 1 });
const nullableText = Type.Union([Type.String(), Type.Null()]);
const { args, body, color } = sequences.fields;

const publicationSchema = Type.Object(
  {
    id,
    created_at: timeSchema,
    updated_at: timeSchema,
    author_device_id: id,
    author_sequence_id: id,
    cached_author_email: Type.String(),
    published: Type.Boolean(),
  },
  { $id: 'SequencePublication', additionalProperties: false },
);

const versionSchema = Type.Object(
  {
    id,
    created_at: timeSchema,
    name: Type.String(),
    color: color.output,
    description: nullableText,
    copyright: nullableText,
    kind: Type.Literal('sequence'),
    args: args.output,
    body: body.output,
  },
  { $id: 'SequenceVersion', additionalProperties: false },
);

const featuredSchema = Type.Array(
  Type.Object(
    { id, path: Type.String(), name: Type.String(), description: nullableText, color: color.output },
    { additionalProperties: false },
  ),
);

const versionIdOf = (text: string | undefined): number => parseId(text, 'Sequence version');

/** The routes for sharing sequences. */
export function publishingRoutes(options: AuthorDirectory): DeviceRoute[] {
  const record = recordSchema(sequences);
  const common = { access: 'token', tag: 'sequences' } as const;
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/publish',
      summary: 'Publish the current state of a sequence',
      query: Type.Object({ copyright: Type.Optional(Type.String({ description: 'Used if the body has none.' })) }),
      body: { rule: 'optional', schema: inputSchema(licenseFields, 'create', 'License') },
      replies: { 200: publicationSchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const { copyright } = call.query;
        const sent = { ...(copyright === undefined ? {} : { copyright }), ...objectBody(call) };
        const sequenceId = sequenceIdOf(call.params);
        return jsonReply(await publishSequence(scope, options, { sequenceId, body: sent }));
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/unpublish',
      summary: 'Withdraw all versions of a sequence',
      replies: { 200: publicationSchema },
      handle: async (scope, { params }) => jsonReply(await unpublishSequence(scope, sequenceIdOf(params))),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/install',
      summary: 'Install a shared version by its id',
      replies: { 200: record, 422: fieldFailuresSchema },
      handle: async (scope, { params }) => jsonReply(await installVersion(scope, versionIdOf(params.id))),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/upgrade/:sequence_version_id',
      summary: 'Link a sequence to a shared version',
      params: Type.Object({ sequence_version_id: Type.String({ description: 'The id of the version.' }) }),
      replies: { 200: record, 422: fieldFailuresSchema },
      async handle(scope, { params }) {
        const version = versionIdOf(params.sequence_version_id);
        return jsonReply(await upgradeSequence(scope, sequenceIdOf(params), version));
      },
    },
    {
      ...common,
      tag: 'sequence_versions',
      method: 'GET',
      path: '/api/sequence_versions/:id',
      summary: 'Show a shared version',
      replies: { 200: versionSchema },
      async handle(scope, { params }) {
        const version = await findPublicVersion(scope.server, versionIdOf(params.id));
        const { id, created_at, name, color, description, copyright, args, body } = version;
        return { id, created_at, name, color, description, copyright, kind: 'sequence', args, body };
      },
    },
  ];
}

/** `GET /api/featured_sequences`. `publisher`: the e-mail address of the account whose sequences are featured; null for none. [rule P34] */
export function featuredRoute(publisher: string | null): PublicRoute {
  const email = publisher?.trim().toLowerCase() ?? null;
  return {
    access: 'public',
    tag: 'sequence_versions',
    method: 'GET',
    path: '/api/featured_sequences',
    summary: 'List the shared sequences of the configured publisher',
    replies: { 200: featuredSchema },
    async handle(server) {
      if (email === null) return [];
      const versions = await findFeaturedVersions(server, email);
      return versions.map((version) => ({ ...version, path: `/app/shared/sequence/${version.id}` }));
    },
  };
}
