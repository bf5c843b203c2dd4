import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { listKey, useRecords } from '../data/collections.ts';
import { useFormatTime } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { queryClient } from '../data/query-client.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Failure, Loading } from '../ui/failure.tsx';
import { TextField } from '../ui/fields.tsx';
import { FindField } from '../ui/find-field.tsx';
import { Form } from '../ui/form.tsx';
import { EmptyState, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { programsText } from './text.ts';

const sharedRoute = getRouteApi('/garden/programs/shared');

/** The id at the end of the input: an id, or an address of a shared program. */
const versionIn = (typed: string): number => Number(/(\d+)\/?\s*$/.exec(typed)?.[1] ?? 0);

/** The programs that gardens of this server offer, to search and to install. */
export function SharedPage() {
  const text = programsText();
  const navigate = useNavigate();
  const { find = '' } = sharedRoute.useSearch();
  const wanted = useDeferredValue(find);
  const mayWrite = useMayWrite();
  const [typed, setTyped] = useState('');
  const submission = useSubmission({ typed });
  const offers = useQuery({
    queryKey: ['shared programs', wanted],
    staleTime: 0,
    queryFn: () => bodyOf(api.GET('/api/shared_sequences', { params: { query: { search: wanted } } })),
  });
  const install = async (version: number): Promise<void> => {
    let id = 0;
    const isDone = await submission.run(async () => {
      ({ id } = await bodyOf(api.POST('/api/sequences/{id}/install', { params: { path: { id: version } } })));
      await queryClient.invalidateQueries({ queryKey: listKey('sequences') });
    });
    if (isDone) await navigate({ to: '/programs/$id', params: { id: String(id) }, search: { view: 'sharing' } });
  };
  return (
    <Page
      title={text.sharedPrograms}
      actions={<Link to="/programs">{text.allPrograms}</Link>}
      bar={<FindField label={text.findShared} hint={text.findSharedHint} />}
    >
      <OtherProblems of={submission} />
      {offers.error ? (
        <Failure error={offers.error} retry={() => void offers.refetch()} />
      ) : offers.data === undefined ? (
        <Loading />
      ) : offers.data.length === 0 ? (
        <EmptyState title={find === '' ? text.nothingShared : text.noSharedMatch}>{text.sharedHint}</EmptyState>
      ) : (
        <Entries label={text.sharedPrograms}>
          {offers.data.map((offer) => (
            <Offer
              key={offer.id}
              offer={offer}
              onInstall={mayWrite ? () => void install(offer.id) : undefined}
              isPending={submission.isPending}
            />
          ))}
        </Entries>
      )}
      {mayWrite ? (
        <Form
          onSubmit={() => void install(versionIn(typed))}
          submit={text.install}
          tone="plain"
          isDisabled={submission.isPending || versionIn(typed) === 0}
        >
          <TextField label={text.versionNumber} hint={text.versionHint} value={typed} onChange={setTyped} />
        </Form>
      ) : null}
    </Page>
  );
}

interface OfferProps {
  readonly offer: components['schemas']['SharedSequence'];
  readonly onInstall: (() => void) | undefined;
  readonly isPending: boolean;
}

/** A program that a garden offers; one of this garden, or one that it has, leads there. */
function Offer({ offer: { id, name, description, copyright, created_at }, onInstall, isPending }: OfferProps) {
  const text = programsText();
  const formatTime = useFormatTime();
  const programs = useRecords('sequences');
  const installed = programs.find(({ sequence_version_id }) => sequence_version_id === id);
  const own = programs.find(
    ({ sequence_version_id, sequence_versions }) => sequence_version_id === null && sequence_versions.includes(id),
  );
  const known = own ?? installed;
  return (
    <Entry
      title={name}
      mark={own ? text.ownShared : installed ? text.installed : null}
      details={[description, copyright, text.sharedOn(formatTime(created_at))]}
      controls={
        known ? (
          <Link to="/programs/$id" params={{ id: String(known.id) }}>
            {text.openProgram(known.name)}
          </Link>
        ) : onInstall ? (
          <Button onPress={onInstall} isDisabled={isPending} aria-label={text.installOf(name)}>
            {text.install}
          </Button>
        ) : null
      }
    />
  );
}
