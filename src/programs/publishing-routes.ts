import { jsonFor } from '../core/message.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { pageHeaders, parsePage } from '../engine/paging.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute, PublicRoute } from '../engine/route.ts';
import { jsonReply, Reply } from '../engine/route.ts';
import { inputSchema, pageParameters, recordSchema, withExample } from '../engine/schemas.ts';
import { installVersion, upgradeSequence } from './installing.ts';
import { exampleNode } from './node-examples.ts';
import { emptyArgs } from './program-kinds.ts';
import type { PublishingServices } from './publishing.ts';
import { licenseFields, publishSequence, unpublishSequence } from './publishing.ts';
import { sequenceIdOf } from './sequence-routes.ts';
import { sequences } from './sequences.ts';
import { countOffers, findFeaturedVersions, findOffers, findPublicVersion } from './shared-versions.ts';

const id = idSchema;
const nullableText = Type.Nullable(Type.String());
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
  {
    $id: 'SequencePublication',
    examples: [
      {
        id: 1,
        created_at: '2026-04-01T08:00:00.000Z',
        updated_at: '2026-04-01T08:00:00.000Z',
        author_device_id: 1,
        author_sequence_id: 1,
        cached_author_email: 'anna@example.com',
        published: true,
      },
    ],
  },
);

/** What is shown of a version beside its program. */
const offerFields = {
  id,
  created_at: timeSchema,
  name: Type.String(),
  color: color.output,
  description: nullableText,
  copyright: nullableText,
};
const exampleOffer = {
  id: 1,
  created_at: '2026-04-01T08:00:00.000Z',
  name: 'Take a photo of each plant',
  color: 'green',
  description: null,
  copyright: 'Anna, CC BY 4.0',
};

const offerSchema = Type.Object(offerFields, { $id: 'SharedSequence', examples: [exampleOffer] });

const versionSchema = Type.Object(
  { ...offerFields, kind: Type.Literal('sequence'), args: args.output, body: body.output },
  {
    $id: 'SequenceVersion',
    examples: [{ ...exampleOffer, kind: 'sequence', args: emptyArgs, body: [exampleNode('take_photo')] }],
  },
);

/** Offers of a list without pages, and at most of a page. */
const maxOffers = 500;

const featuredSchema = Type.Array(
  Type.Object(
    { id, path: Type.String(), name: Type.String(), description: nullableText, color: color.output },
    {
      $id: 'FeaturedSequence',
      examples: [
        {
          id: 1,
          path: '/app/shared/sequence/1',
          name: 'Take a photo of each plant',
          description: null,
          color: 'green',
        },
      ],
    },
  ),
);

const versionIdOf = (text: string | undefined): number => parseId(text, 'Sequence version');

/** The routes for sharing sequences. */
export function publishingRoutes(services: PublishingServices): DeviceRoute[] {
  const record = recordSchema(sequences);
  const common = { access: 'token', tag: 'Shared programs' } as const;
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/publish',
      summary: 'Publish the current state of a sequence',
      description:
        'Offers the current state of the sequence to other accounts, as a further version that never changes; if the newest version is the same, there is no further one. It must not contain ids of records.',
      query: Type.Object({ copyright: Type.Optional(Type.String({ description: 'Used if the body has none.' })) }),
      body: {
        rule: 'optional',
        schema: withExample(inputSchema(licenseFields, 'create', 'LicenseInput'), { copyright: 'Anna, CC BY 4.0' }),
      },
      replies: { 200: publicationSchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const { copyright } = call.query;
        const sent = { ...(copyright === undefined ? {} : { copyright }), ...objectBody(call) };
        const sequenceId = sequenceIdOf(call.params);
        return jsonReply(await publishSequence(scope, services, { sequenceId, body: sent }));
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/unpublish',
      summary: 'Withdraw all versions of a sequence',
      description:
        'Withdraws all versions permanently, also those of a sequence that was deleted. Sequences that were installed from them stay as they are; versions that were not installed are deleted.',
      replies: { 200: publicationSchema },
      handle: async (scope, { params }) => jsonReply(await unpublishSequence(scope, sequenceIdOf(params))),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/install',
      summary: 'Install a shared version by its id',
      description:
        'Creates a sequence that shows the program of a shared version until it is changed. `id` is that of the version.',
      replies: { 200: record, 422: fieldFailuresSchema },
      handle: async (scope, { params }) => jsonReply(await installVersion(scope, versionIdOf(params.id))),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/upgrade/:sequence_version_id',
      summary: 'Link a sequence to a shared version',
      description: 'Makes the sequence show the program of this version, as after an installation.',
      params: Type.Object({ sequence_version_id: { ...idSchema, description: 'The id of the version.' } }),
      replies: { 200: record, 422: fieldFailuresSchema },
      async handle(scope, { params }) {
        const version = versionIdOf(params.sequence_version_id);
        return jsonReply(await upgradeSequence(scope, sequenceIdOf(params), version));
      },
    },
    {
      ...common,
      addition: true,
      method: 'GET',
      path: '/api/shared_sequences',
      summary: 'Find shared sequences of this server',
      description: `Returns the newest version of each sequence that any account offers, the newest first, at most ${maxOffers} of them or of a page; with \`search\`, those whose name, description or license contains the text. \`id\` is that of the version, for \`POST /api/sequences/{id}/install\`.`,
      query: Type.Object({
        search: Type.Optional(Type.String({ description: 'Part of a name, a description or a license.' })),
        ...pageParameters,
      }),
      replies: { 200: Type.Array(offerSchema) },
      async handle({ server }, call) {
        const { search } = call.query;
        const page = parsePage(call.query);
        const per = Math.min(page?.per ?? maxOffers, maxOffers);
        const offset = Math.floor(((page?.page ?? 1) - 1) * per);
        const found = await findOffers(server, search ?? '', { limit: per, offset });
        const offers = found.map(({ updated_at: _changed, ...offer }) => offer);
        if (!page) return offers;
        const filters = search === undefined ? {} : { search };
        const total = await countOffers(server, search ?? '');
        const headers = pageHeaders(call, '/api/shared_sequences', filters, { ...page, per }, total);
        return new Reply(jsonFor('api', offers), undefined, 200, headers);
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/sequence_versions/:id',
      summary: 'Show a shared version',
      description: 'Returns a version with its program, if its author offers it.',
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
    tag: 'Shared programs',
    method: 'GET',
    path: '/api/featured_sequences',
    summary: 'List the shared sequences of the configured publisher',
    description:
      "Returns the newest versions of the sequences that the operator's account publishes; an empty list if there is no such account.",
    replies: { 200: featuredSchema },
    async handle(server) {
      if (email === null) return [];
      const versions = await findFeaturedVersions(server, email);
      return versions.map((version) => ({ ...version, path: `/app/shared/sequence/${version.id}` }));
    },
  };
}
