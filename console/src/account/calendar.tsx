import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { shownAddress } from '../data/shown-address.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { Card } from '../ui/page.tsx';
import { partsText } from './parts-text.ts';
import { accountQueries, changeAccount } from './queries.ts';

/** The secret address of the garden's calendar. */
export function Calendar() {
  const text = partsText();
  const formatTime = useFormatTime();
  const { created_at } = useSuspenseQuery(accountQueries.calendar).data;
  const [address, setAddress] = useState<string | null>(null);
  const make = () =>
    changeAccount(async () => setAddress((await bodyOf(api.POST('/api/calendar_feed', { body: {} }))).url));
  const end = () => changeAccount(() => api.DELETE('/api/calendar_feed'), text.deleted);
  return (
    <Card
      title={text.parts.calendar}
      actions={
        created_at === null ? (
          <Button tone="primary" onPress={() => void make()}>
            {text.makeCalendar}
          </Button>
        ) : (
          <>
            <ConfirmButton
              word={text.renewCalendar}
              title={text.renewCalendarTitle}
              hint={text.renewCalendarHint}
              onConfirm={() => void make()}
            />
            <ConfirmButton
              word={text.delete}
              title={text.deleteCalendarTitle}
              hint={text.renewCalendarHint}
              onConfirm={() => void end()}
            />
          </>
        )
      }
    >
      <p>{text.calendarHint}</p>
      <p>{created_at === null ? text.noCalendar : text.calendarSince(formatTime(created_at))}</p>
      <ShownOnce
        label={text.calendarAddress}
        value={address && shownAddress(address)}
        onClose={() => setAddress(null)}
      />
    </Card>
  );
}
