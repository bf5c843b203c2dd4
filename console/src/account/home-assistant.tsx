import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../data/api.ts';
import { confirmedApi } from '../data/confirmation.ts';
import { useGarden } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Copyable, ShownOnce } from '../ui/copyable.tsx';
import { Switch } from '../ui/fields.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { partsText } from './parts-text.ts';
import { accountQueries, changeAccount } from './queries.ts';

/** Whether the garden is shown in Home Assistant, and with which password it connects. */
export function HomeAssistant() {
  const text = partsText();
  const { configured, allowed, on, username, has_password } = useSuspenseQuery(accountQueries.homeAssistant).data;
  const isOwner = useGarden().role === 'owner';
  const [password, setPassword] = useState<string | null>(null);
  const turn = (next: boolean) =>
    changeAccount(() => confirmedApi.PATCH('/api/home_assistant', { body: { on: next } }));
  const makePassword = () =>
    changeAccount(async () => setPassword((await bodyOf(confirmedApi.POST('/api/home_assistant/password'))).password));
  const mayTurnOn = configured && allowed;
  return (
    <Card title={text.parts.home}>
      <p>{text.homeHint}</p>
      {configured ? null : <Notice>{text.homeNotConfigured}</Notice>}
      {configured && !allowed ? <Notice tone="warn">{text.homeNotAllowed}</Notice> : null}
      {isOwner ? null : <Notice>{text.onlyOwnersChange}</Notice>}
      <Switch
        label={text.homeOn}
        isSelected={on}
        onChange={(next) => void turn(next)}
        isDisabled={!isOwner || (!mayTurnOn && !on)}
      />
      {username && on ? (
        <>
          <Copyable label={text.homeUser} value={username} />
          <p>{has_password ? text.homeHasPassword : text.homeNoPassword}</p>
          <div>
            <Button isDisabled={!isOwner} onPress={() => void makePassword()}>
              {text.makePassword}
            </Button>
          </div>
        </>
      ) : null}
      <ShownOnce label={text.homePassword} value={password} onClose={() => setPassword(null)} />
    </Card>
  );
}
