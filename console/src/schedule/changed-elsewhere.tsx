import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import type { StoredDraft } from '../ui/draft.ts';
import { Notice } from '../ui/page.tsx';
import { scheduleText } from './text.ts';

/** Says that what a form changes was changed elsewhere meanwhile, and asks which of the two stays. */
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
