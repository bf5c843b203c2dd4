import { Link } from '@tanstack/react-router';
import { getSession } from '../data/session.ts';
import { Page } from '../ui/page.tsx';
import { GardenFrame, PublicFrame } from './frame.tsx';
import { shellText } from './text.ts';

/** Shown at an address that has no page. */
export function NotFound() {
  const text = shellText();
  const Frame = getSession() ? GardenFrame : PublicFrame;
  return (
    <Frame>
      <Page title={text.notFound} width="narrow">
        <p>{text.notFoundHint}</p>
        <p>
          <Link to="/map">{text.toMap}</Link>
        </p>
      </Page>
    </Frame>
  );
}
