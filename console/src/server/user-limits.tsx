import { useSuspenseQuery } from '@tanstack/react-query';
import { api } from '../data/api.ts';
import { confirmed } from '../data/confirmation.ts';
import type { components } from '../data/generated/api.ts';
import { useDraft } from '../ui/draft.ts';
import { NumberField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { measured } from '../ui/numbers.ts';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { reloadServer, serverQueries } from './queries.ts';
import { serverText } from './text.ts';

type QuotaName = keyof components['schemas']['Usage'];

/** The limits of a user's garden. */
export function UserLimits({ id, onDone }: { readonly id: number; readonly onDone: () => void }) {
  const text = serverText();
  const quotas = useSuspenseQuery(serverQueries.quotas(id)).data;
  const submission = useSubmission();
  // Only changed limits: null stands for the general limit.
  const [changed, setChanged, endDraft] = useDraft<Partial<Record<QuotaName, number | null>>>(`limits ${id}`, {});
  const names = Object.keys(quotas) as QuotaName[];
  const save = async (): Promise<void> => {
    const isDone = await submission.run(() =>
      confirmed((proof) =>
        api.PATCH('/api/admin/users/{id}/quotas', { params: { path: { id } }, body: { ...changed, ...proof } }),
      ),
    );
    if (!isDone) return;
    endDraft();
    showToast({ text: text.saved });
    onDone();
    await reloadServer();
  };
  return (
    <Form onSubmit={save} submit={text.save} submission={submission} fields={names}>
      {names.map((name) => {
        const { used, limit } = quotas[name];
        const value = changed[name];
        return (
          <NumberField
            key={name}
            label={text.quotas[name]}
            hint={text.limitHint(measured(used), measured(limit))}
            value={value === undefined ? limit : (value ?? Number.NaN)}
            onChange={(next) => setChanged({ ...changed, [name]: Number.isNaN(next) ? null : next })}
            problem={submission.problems[name]}
            minValue={0}
            step={1}
          />
        );
      })}
    </Form>
  );
}
