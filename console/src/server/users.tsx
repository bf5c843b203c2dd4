import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { quotas as declarations } from '../../../src/core/quotas.ts';
import { mebibyte } from '../../../src/core/size-text.ts';
import { confirmedApi } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { getSession } from '../data/session.ts';
import { Confirmation, Dialog } from '../ui/dialog.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { Part } from '../ui/failure.tsx';
import { NumberField } from '../ui/fields.tsx';
import { FindField } from '../ui/find-field.tsx';
import { Form } from '../ui/form.tsx';
import { MenuButton, type MenuEntry } from '../ui/menu.tsx';
import { measured } from '../ui/numbers.ts';
import { Card, EmptyState } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { changeServer, reloadServer, serverQueries } from './queries.ts';
import { serverText } from './text.ts';

const serverRoute = getRouteApi('/garden/server');

type User = components['schemas']['AdministeredUser'];

/** The accounts of the server. */
export function Users() {
  const text = serverText();
  const { find = '' } = serverRoute.useSearch();
  return (
    <Card title={text.parts.users}>
      <FindField label={text.find} hint={text.findHint} />
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
  const update = ({ id }: User, body: { confirmed?: true; disabled?: boolean }, sentence: string) =>
    changeServer(() => confirmedApi.PATCH('/api/admin/users/{id}', { params: { path: { id } }, body }), sentence);
  const remove = ({ id, email }: User) =>
    changeServer(
      () => confirmedApi.DELETE('/api/admin/users/{id}', { params: { path: { id } } }),
      text.deletedNow(email),
    );
  const allowHome = ({ device_id: id }: User, allowed: boolean) =>
    changeServer(
      () => confirmedApi.PATCH('/api/admin/home_assistant/{id}', { params: { path: { id } }, body: { allowed } }),
      text.saved,
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
              onAction: () => void update(user, { confirmed: true }, text.confirmed(user.email)),
            },
          ]
        : []),
      { id: 'limits', label: text.limits, onAction: () => show(user.id) },
      { id: 'allow', label: text.allowHome, onAction: () => void allowHome(user, true) },
      { id: 'forbid', label: text.forbidHome, onAction: () => void allowHome(user, false) },
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
            onAction: () => void update(user, { disabled: false }, text.enabledNow(user.email)),
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
          void (isDeletion ? remove(user) : update(user, { disabled: true }, text.disabledNow(user.email)));
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

/** Returns a number with the three digits after the point that a field shows: with more, it would change when it is left. */
const shownNumber = (value: number): number => Math.round(value * 1000) / 1000;

type QuotaName = keyof components['schemas']['Usage'];
type GardenLimitName = keyof components['schemas']['GardenLimits'];

/** Changed limits: null stands for the general one. */
type Changed<Name extends string> = Readonly<Partial<Record<Name, number | null>>>;

/** The limits of a user's garden. */
function UserLimits({ id, onDone }: { readonly id: number; readonly onDone: () => void }) {
  const text = serverText();
  const quotas = useSuspenseQuery(serverQueries.quotas(id)).data;
  const limits = useSuspenseQuery(serverQueries.limits(id)).data;
  const [typed, setTyped, endDraft] = useDraft<{
    readonly quotas: Changed<QuotaName>;
    readonly limits: Changed<GardenLimitName>;
  }>(`limits ${id}`, { quotas: {}, limits: {} });
  const submission = useSubmission({ ...typed.quotas, ...typed.limits });
  const names = Object.keys(quotas) as QuotaName[];
  const limitNames = Object.keys(limits) as GardenLimitName[];
  const params = { path: { id } };
  const save = () =>
    submission.run(
      async () => {
        if (Object.keys(typed.limits).length > 0)
          await confirmedApi.PATCH('/api/admin/users/{id}/limits', { params, body: typed.limits });
        if (Object.keys(typed.quotas).length > 0)
          await confirmedApi.PATCH('/api/admin/users/{id}/quotas', { params, body: typed.quotas });
      },
      () => {
        endDraft();
        showToast({ text: text.saved });
        onDone();
        return reloadServer();
      },
    );
  return (
    <Form onSubmit={save} submit={text.save} submission={submission} fields={[...limitNames, ...names]}>
      {limitNames.map((name) => {
        const { [name]: value = limits[name] } = typed.limits;
        return (
          <NumberField
            key={name}
            label={text.gardenLimits[name]}
            hint={text.gardenLimitHint(measured(limits[name]))}
            value={value ?? Number.NaN}
            onChange={(next) => {
              const limit = Number.isNaN(next) ? null : Math.round(next);
              setTyped({ ...typed, limits: { ...typed.limits, [name]: limit } });
            }}
            problem={submission.problems[name]}
            step={1}
          />
        );
      })}
      {names.map((name) => {
        const { used, limit } = quotas[name];
        const { [name]: value } = typed.quotas;
        const unit = 'isSize' in declarations[name] ? mebibyte : 1;
        return (
          <NumberField
            key={name}
            label={text.quotas[name]}
            hint={text.limitHint(measured(used / unit), measured(limit / unit))}
            value={value === null ? Number.NaN : shownNumber((value ?? limit) / unit)}
            onChange={(next) => {
              const quota = Number.isNaN(next) ? null : Math.round(next * unit);
              setTyped({ ...typed, quotas: { ...typed.quotas, [name]: quota } });
            }}
            problem={submission.problems[name]}
            minValue={0}
            {...(unit === 1 && { step: 1 })}
          />
        );
      })}
    </Form>
  );
}
