import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { createRecord } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { Plus, Sprout } from '../ui/icons.tsx';
import { ListDetail, Rows, rowClass } from '../ui/list-detail.tsx';
import { Card, EmptyState, Missing, Page } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { RegimenForm } from './regimen-form.tsx';
import { scheduleText } from './text.ts';

const regimensRoute = getRouteApi('/garden/regimens');

/** Plans that run programs on days after their start. */
export function RegimensPage() {
  const { regimens: title, plan: text } = scheduleText();
  const { id } = regimensRoute.useSearch();
  const navigate = useNavigate({ from: '/regimens' });
  const mayWrite = useMayWrite();
  const regimens = useRecords('regimens').toSorted((one, other) => one.name.localeCompare(other.name));
  const chosen = regimens.find((each) => each.id === id);
  const add = async (): Promise<void> => {
    const names = new Set(regimens.map(({ name }) => name));
    let name = text.newName;
    for (let n = 2; names.has(name); n++) name = `${text.newName} ${n}`;
    try {
      const made = await undoable(text.created(name), (label) =>
        createRecord('regimens', { name, color: 'green', regimen_items: [], body: [] }, { label }),
      );
      await navigate({ search: { id: made.id } });
    } catch (error) {
      showProblem(error);
    }
  };
  const button = mayWrite ? (
    <Button tone="primary" icon={<Plus />} onPress={() => void add()}>
      {text.add}
    </Button>
  ) : null;
  return (
    <Page title={title} actions={regimens.length > 0 ? button : null}>
      <ListDetail
        list={
          regimens.length === 0 ? (
            <EmptyState icon={<Sprout size={40} aria-hidden="true" />} title={text.none} action={button}>
              {text.about}
            </EmptyState>
          ) : (
            <Rows label={title} rows={regimens} keyOf={(each) => each.id}>
              {(each) => (
                <Link
                  to="/regimens"
                  search={{ id: each.id }}
                  className={rowClass}
                  aria-current={each.id === id ? 'true' : undefined}
                >
                  <span>{each.name}</span>
                  <small>{text.runCount(each.regimen_items.length)}</small>
                </Link>
              )}
            </Rows>
          )
        }
        detail={
          chosen ? (
            <Card
              title={chosen.name}
              actions={
                <Link to="/regimens" search={{}}>
                  {text.back}
                </Link>
              }
            >
              <RegimenForm key={chosen.id} regimen={chosen} onDeleted={() => void navigate({ search: {} })} />
            </Card>
          ) : id === undefined ? null : (
            <Missing />
          )
        }
      />
    </Page>
  );
}
