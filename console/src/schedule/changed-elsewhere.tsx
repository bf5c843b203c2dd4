import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import type { StoredDraft } from '../ui/draft.ts';
import { Notice } from '../ui/page.tsx';
import { scheduleText } from './text.ts';

/** Warns that the edited record was changed elsewhere, and asks which version to keep. */
export function ChangedElsewhere({ keep, end }: Pick<StoredDraft<unknown>, 'keep' | 'end'>) {
  const { elsewhere: text } = scheduleText();
  return (
    <Notice tone="warn">
      <p>{text.changed}</p>
      <Actions>
        <Button onPress={keep}>{text.keepMine}</Button>
        <Button onPress={end}>{text.takeTheirs}</Button>
      </Actions>
    </Notice>
  );
}
