import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { api } from '../data/api.ts';
import { attempt, confirmed } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { getSession } from '../data/session.ts';
import { Confirmation, Dialog } from '../ui/dialog.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Part } from '../ui/failure.tsx';
import { TextField } from '../ui/fields.tsx';
import { MenuButton, type MenuEntry } from '../ui/menu.tsx';
import { Card, EmptyState } from '../ui/page.tsx';
import { showToast } from '../ui/toasts.tsx';
import { reloadServer, serverQueries } from './queries.ts';
import { serverText } from './text.ts';
import { UserLimits } from './user-limits.tsx';

const serverRoute = getRouteApi('/garden/server');

type User = components['schemas']['AdministeredUser'];

/** The accounts of the server. */
export function Users() {
  const text = serverText();
  const { find = '' } = serverRoute.useSearch();
  const navigate = useNavigate({ from: '/server' });
  return (
    <Card title={text.parts.users}>
      <TextField
        label={text.find}
        hint={text.findHint}
        type="search"
        value={find}
        onChange={(next) =>
          void navigate({ search: (before) => ({ ...before, find: next || undefined }), replace: true })
        }
      />
      <Part>
        <UserList find={useDeferredValue(find)} />
      </Part>
    </Card>
  );
}

/** Actions that ask for confirmation. */
interface Question {
  readonly user: User;
  readonly isDeletion: boolean;
}

function UserList({ find }: { readonly find: string }) {
  const text = serverText();
  const formatTime = useFormatTime();
  const users = useSuspenseQuery(serverQueries.users(find)).data;
  const { user: shown } = serverRoute.useSearch();
  const navigate = useNavigate({ from: '/server' });
  const [question, setQuestion] = useState<Question | null>(null);
  const act = (sentence: string, send: () => Promise<unknown>): void =>
    void attempt(async () => {
      await send();
      showToast({ text: sentence });
      await reloadServer();
    });
  const update = ({ id }: User, body: { confirmed?: true; disabled?: boolean }) =>
    confirmed((proof) => api.PATCH('/api/admin/users/{id}', { params: { path: { id } }, body: { ...body, ...proof } }));
  const remove = ({ id }: User) =>
    confirmed((body) => api.DELETE('/api/admin/users/{id}', { params: { path: { id } }, body }));
  const allowHome = ({ device_id: id }: User, allowed: boolean) =>
    confirmed((proof) =>
      api.PATCH('/api/admin/home_assistant/{id}', { params: { path: { id } }, body: { allowed, ...proof } }),
    );
  const show = (user: number | undefined): void =>
    void navigate({ search: (before) => ({ ...before, user }), replace: true });
  const entriesOf = (user: User): MenuEntry[] => {
    const isOwn = user.id === getSession()?.user.id;
    return [
      ...(user.confirmed_at === null && !user.demo
        ? [
            {
              id: 'confirm',
              label: text.confirm,
              onAction: () => act(text.confirmed(user.email), () => update(user, { confirmed: true })),
            },
          ]
        : []),
      { id: 'limits', label: text.limits, onAction: () => show(user.id) },
      { id: 'allow', label: text.allowHome, onAction: () => act(text.saved, () => allowHome(user, true)) },
      { id: 'forbid', label: text.forbidHome, onAction: () => act(text.saved, () => allowHome(user, false)) },
      user.disabled_at === null
        ? {
            id: 'disable',
            label: text.disable,
            isDisabled: isOwn,
            onAction: () => setQuestion({ user, isDeletion: false }),
          }
        : {
            id: 'enable',
            label: text.enable,
            onAction: () => act(text.enabledNow(user.email), () => update(user, { disabled: false })),
          },
      {
        id: 'delete',
        label: text.delete,
        tone: 'danger',
        isDisabled: isOwn,
        onAction: () => setQuestion({ user, isDeletion: true }),
      },
    ];
  };
  const limited = users.find(({ id }) => id === shown);
  if (users.length === 0) return <EmptyState title={text.noUsers} />;
  return (
    <>
      <Entries label={text.parts.users}>
        {users.map((user) => (
          <Entry
            key={user.id}
            title={user.name || user.email}
            mark={
              user.disabled_at
                ? text.disabled
                : user.demo
                  ? text.demo
                  : user.confirmed_at === null
                    ? text.unconfirmed
                    : user.admin
                      ? text.administrator
                      : null
            }
            tone={user.disabled_at ? 'danger' : 'success'}
            details={[
              user.name ? user.email : null,
              text.garden(user.device_id),
              user.last_sign_in_at ? text.lastSignIn(formatTime(user.last_sign_in_at)) : text.neverSignedIn,
            ]}
            controls={<MenuButton label={text.more(user.name || user.email)} entries={entriesOf(user)} />}
          />
        ))}
      </Entries>
      <Confirmation
        title={
          question?.isDeletion ? text.deleteTitle(question.user.email) : text.disableTitle(question?.user.email ?? '')
        }
        isOpen={question !== null}
        onClose={() => setQuestion(null)}
        confirm={question?.isDeletion ? text.delete : text.disable}
        onConfirm={() => {
          if (!question) return;
          const { user, isDeletion } = question;
          if (isDeletion) act(text.deletedNow(user.email), () => remove(user));
          else act(text.disabledNow(user.email), () => update(user, { disabled: true }));
        }}
      >
        {question?.isDeletion ? text.deleteHint : text.disableHint}
      </Confirmation>
      <Dialog
        title={text.limitsOf(limited?.email ?? '')}
        isOpen={limited !== undefined}
        onClose={() => show(undefined)}
      >
        {limited ? (
          <Part>
            <UserLimits id={limited.id} onDone={() => show(undefined)} />
          </Part>
        ) : null}
      </Dialog>
    </>
  );
}
