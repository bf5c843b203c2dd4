import styles from './auth.module.css';

/** The beds of the models in decimeters, from above. */
const beds = {
  express: [30, 12],
  genesis: [30, 15],
  expressXl: [60, 24],
  genesisXl: [60, 30],
} as const;

/** Of the largest bed, with a margin. */
const frame = '-2 -2 64 34';

/** A drawing of a robot over its bed, all to the same scale. Decorative: its name stands beside it. */
export function RobotPicture({ model }: { readonly model: string }) {
  const isLarge = /XL/.test(model);
  const isExpress = /Express/.test(model);
  const [width, height] = beds[isExpress ? (isLarge ? 'expressXl' : 'express') : isLarge ? 'genesisXl' : 'genesis'];
  const gantry = width * 0.62;
  return (
    <svg className={styles.picture} viewBox={frame} aria-hidden="true">
      <rect className={styles.soil} width={width} height={height} rx={1} />
      {isExpress
        ? null
        : [0.3, 0.5, 0.7].map((part) => (
            <circle key={part} className={styles.tool} cx={2.2} cy={height * part} r={1} />
          ))}
      {[0.2, 0.4, 0.6, 0.8].flatMap((x) =>
        [0.3, 0.7].map((y) => (
          <circle key={`${x} ${y}`} className={styles.leaf} cx={width * x + 1.5} cy={height * y} r={1.8} />
        )),
      )}
      <rect className={styles.beam} x={gantry} y={-1} width={1.6} height={height + 2} rx={0.6} />
      <rect className={styles.head} x={gantry - 1} y={height * 0.45} width={3.6} height={3.6} rx={0.8} />
    </svg>
  );
}
