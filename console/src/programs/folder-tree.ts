import { plain } from '../ui/letters.ts';
import { byName, compareNames } from '../ui/natural-order.ts';

/** The properties of a folder that the tree shows. */
interface FolderRecord {
  readonly id: number;
  readonly parent_id: number | null;
  readonly name: string;
}

/** The properties of a program that the tree shows. */
interface ProgramRecord {
  readonly id: number;
  readonly folder_id: number | null;
  readonly name: string;
  readonly pinned: boolean;
  readonly updated_at: string;
}

/** A folder with its contents. */
export interface FolderNode<F, P> {
  readonly folder: F;
  readonly folders: readonly FolderNode<F, P>[];
  readonly programs: readonly P[];
}

export const orders = ['name', 'changed'] as const;
export type Order = (typeof orders)[number];

/** Sorts programs: pinned ones first, then by name, or the last changed first. */
export function sorted<P extends ProgramRecord>(programs: readonly P[], order: Order): readonly P[] {
  return [...programs].sort(
    (a, b) =>
      Number(b.pinned) - Number(a.pinned) ||
      (order === 'changed' ? b.updated_at.localeCompare(a.updated_at) : 0) ||
      compareNames(a.name, b.name),
  );
}

/** Puts programs and folders into their folders. Folders in a cycle, and items without a folder, are at the top level. */
export function folderTree<F extends FolderRecord, P extends ProgramRecord>(
  folders: readonly F[],
  programs: readonly P[],
  order: Order,
): { readonly folders: readonly FolderNode<F, P>[]; readonly programs: readonly P[] } {
  const ids = new Set(folders.map(({ id }) => id));
  const isTop = (folder: F): boolean =>
    folder.parent_id === null || !ids.has(folder.parent_id) || !reachesTop(folders, folder);
  const nodeOf = (folder: F): FolderNode<F, P> => ({
    folder,
    folders: byName(folders.filter((other) => other.parent_id === folder.id && !isTop(other))).map(nodeOf),
    programs: sorted(
      programs.filter(({ folder_id }) => folder_id === folder.id),
      order,
    ),
  });
  return {
    folders: byName(folders.filter(isTop)).map(nodeOf),
    programs: sorted(
      programs.filter(({ folder_id }) => folder_id === null || !ids.has(folder_id)),
      order,
    ),
  };
}

function reachesTop(folders: readonly FolderRecord[], folder: FolderRecord): boolean {
  const seen = new Set<number>();
  for (let here: FolderRecord | undefined = folder; here; ) {
    if (seen.has(here.id)) return false;
    seen.add(here.id);
    const { parent_id }: FolderRecord = here;
    here = folders.find(({ id }) => id === parent_id);
  }
  return true;
}

/** Whether a folder may be put into another: not into itself or one of its own. `into` null: to the top. */
export function mayMove(folders: readonly FolderRecord[], id: number, into: number | null): boolean {
  const seen = new Set<number>();
  for (let here = into; here !== null && !seen.has(here); ) {
    if (here === id) return false;
    seen.add(here);
    const parent = folders.find((folder) => folder.id === here);
    here = parent?.parent_id ?? null;
  }
  return true;
}

/** The programs whose name or folder contains all words of a search. */
export function searched<P extends ProgramRecord>(
  programs: readonly P[],
  folders: readonly FolderRecord[],
  search: string,
): readonly P[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const nameOf = new Map(folders.map(({ id, name }) => [id, name]));
  return programs.filter(({ name, folder_id }) => {
    const text = plain(`${name} ${nameOf.get(folder_id ?? 0) ?? ''}`);
    return words.every((word) => text.includes(word));
  });
}
