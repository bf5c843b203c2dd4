/** Where points are added: rows and columns from a first place. Lengths in mm. */
export interface Filling {
  readonly x: number;
  readonly y: number;
  /** Points along x, and along y. */
  readonly columns: number;
  readonly rows: number;
  readonly columnSpacing: number;
  readonly rowSpacing: number;
}

export const maxPlaces = 500;

/** One point at the origin. */
export const oneFilling: Filling = { x: 0, y: 0, columns: 1, rows: 1, columnSpacing: 300, rowSpacing: 300 };

const countOf = (value: number): number => (Number.isFinite(value) ? Math.max(1, Math.round(value)) : 1);

/** Returns the places of a filling, at most {@link maxPlaces}. */
export function placesOf(filling: Filling): readonly { readonly x: number; readonly y: number }[] {
  const columns = Math.min(maxPlaces, countOf(filling.columns));
  const rows = Math.min(Math.floor(maxPlaces / columns), countOf(filling.rows));
  return Array.from({ length: columns * rows }, (_, i) => ({
    x: Math.round(filling.x + (i % columns) * filling.columnSpacing),
    y: Math.round(filling.y + Math.floor(i / columns) * filling.rowSpacing),
  }));
}

/** Returns a filling with as many rows and columns as there is room for, up to the end of the bed. */
export function filledBed(filling: Filling, maxX: number, maxY: number): Filling {
  const fitting = (from: number, to: number, spacing: number): number =>
    spacing > 0 && to >= from ? Math.floor((to - from) / spacing) + 1 : 1;
  const columns = Math.min(maxPlaces, fitting(filling.x, maxX, filling.columnSpacing));
  const rows = fitting(filling.y, maxY, filling.rowSpacing);
  return { ...filling, columns, rows: Math.min(Math.floor(maxPlaces / columns), rows) };
}
