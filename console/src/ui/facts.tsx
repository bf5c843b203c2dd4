import styles from './facts.module.css';

/** A name, and its value; one without a value is omitted. */
export type Fact = readonly [name: string, value: string | number | null | undefined];

/** Names with their values, one below the other. */
export const Facts = ({ of }: { readonly of: readonly Fact[] }) => (
  <dl className={styles.facts}>
    {of.map(([name, value]) =>
      value === null || value === undefined || value === '' ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);
