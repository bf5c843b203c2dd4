import { Link } from '@tanstack/react-router';
import { useRecords } from '../data/collections.ts';
import { listTitle } from '../data/resource-names.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { Sprout } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { kinds } from './kinds.ts';
import { thingsText } from './text.ts';
import styles from './things.module.css';

function KindCard({ kind: { collection, icon: Icon } }: { readonly kind: (typeof kinds)[number] }) {
  const count = useRecords(collection).length;
  return (
    <Link to="/things/$kind" params={{ kind: collection }} className={styles.card}>
      <Icon size={28} aria-hidden="true" />
      <span className={styles.cardText}>
        <strong>{listTitle(collection)}</strong>
        <span>{thingsText().kinds[collection]}</span>
      </span>
      <span className={styles.count}>{count}</span>
    </Link>
  );
}

function PlacesCard() {
  const { title, about } = thingsText().places;
  const count = useRecords('points').length;
  return (
    <Link to="/places" className={styles.card}>
      <Sprout size={28} aria-hidden="true" />
      <span className={styles.cardText}>
        <strong>{title}</strong>
        <span>{about}</span>
      </span>
      <span className={styles.count}>{count}</span>
    </Link>
  );
}

/** The garden's records by kind. */
export function ThingsPage() {
  const config = useWebAppConfig();
  return (
    <Page title={thingsText().title}>
      <div className={styles.cards}>
        <PlacesCard />
        {kinds.map((kind) =>
          'hiddenBy' in kind && config[kind.hiddenBy] ? null : <KindCard key={kind.collection} kind={kind} />,
        )}
      </div>
    </Page>
  );
}
