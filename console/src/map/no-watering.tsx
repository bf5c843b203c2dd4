import { Link } from '@tanstack/react-router';
import { useDevice } from '../data/singles.ts';
import { Notice } from '../ui/page.tsx';
import { morningText } from './morning-text.ts';

/** Explains that nothing in the garden can water, with links to fix that. */
export function NoWatering({ reason }: { readonly reason: string }) {
  const text = morningText();
  const isSeeded = useDevice().account_seeded_at !== null;
  return (
    <Notice tone="warn">
      {reason}{' '}
      <Link to="/things/$kind" params={{ kind: 'peripherals' }} search={{ new: true }}>
        {text.addPeripheral}
      </Link>
      {isSeeded ? null : (
        <>
          {' · '}
          <Link to="/set-up">{text.setUp}</Link>
        </>
      )}
    </Notice>
  );
}
