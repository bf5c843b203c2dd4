import { getRouteApi, Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Part } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { PartTabs } from '../ui/tabs.tsx';
import { accountParts } from './account-parts.ts';
import { Calendar } from './calendar.tsx';
import { End } from './end.tsx';
import { Gardens } from './gardens.tsx';
import { HomeAssistant } from './home-assistant.tsx';
import { Notifications } from './notifications.tsx';
import { partsText } from './parts-text.ts';
import { People } from './people.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';
import { Transfer } from './transfer.tsx';
import { Webhooks } from './webhooks.tsx';

const accountRoute = getRouteApi('/garden/account');

const pages: Readonly<Record<(typeof accountParts)[number], ComponentType>> = {
  profile: Profile,
  sessions: Sessions,
  tokens: Tokens,
  notifications: Notifications,
  people: People,
  gardens: Gardens,
  webhooks: Webhooks,
  home: HomeAssistant,
  calendar: Calendar,
  data: Transfer,
  end: End,
};

/** Settings of the user, and of the garden as a whole. */
export function AccountPage() {
  const text = partsText();
  const { part = 'profile' } = accountRoute.useSearch();
  const Content = pages[part];
  return (
    <Page
      title={text.title}
      part={text.parts[part]}
      bar={
        <PartTabs label={text.title} parts={accountParts} open={part}>
          {(name, tab) => (
            <Link {...tab} to="/account" search={{ part: name }}>
              {text.parts[name]}
            </Link>
          )}
        </PartTabs>
      }
    >
      <Part key={part}>
        <Content />
      </Part>
    </Page>
  );
}
