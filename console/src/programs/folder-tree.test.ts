import { expect, it } from 'vitest';
import { folderTree, mayMove, searched } from './folder-tree.ts';

const folder = (id: number, parent_id: number | null) => ({ id, parent_id, name: `folder ${id}` });
const program = (id: number, folder_id: number | null, pinned = false, updated_at = '2026-01-01') => ({
  id,
  folder_id,
  name: `program ${id}`,
  pinned,
  updated_at,
});
const folders = [folder(1, null), folder(2, 1), folder(3, 9), folder(4, 5), folder(5, 4)];

it('nests folders, and shows folders in a circle or nowhere at the top', () => {
  const tree = folderTree(folders, [program(1, 2), program(2, null), program(3, 99)], 'name');
  expect(tree.folders.map(({ folder: { id } }) => id)).toEqual([1, 3, 4, 5]);
  expect(tree.folders[0]?.folders[0]?.programs.map(({ id }) => id)).toEqual([1]);
  expect(tree.programs.map(({ id }) => id)).toEqual([2, 3]);
});

it('sorts pinned programs first, then by name or change', () => {
  const programs = [
    program(1, null, false, '2026-01-02'),
    program(2, null, false, '2026-01-03'),
    program(3, null, true),
  ];
  expect(folderTree([], programs, 'name').programs.map(({ id }) => id)).toEqual([3, 1, 2]);
  expect(folderTree([], programs, 'changed').programs.map(({ id }) => id)).toEqual([3, 2, 1]);
});

it('puts no folder into itself or its content', () => {
  expect(mayMove(folders, 1, 2)).toBe(false);
  expect(mayMove(folders, 1, 1)).toBe(false);
  expect(mayMove(folders, 2, null)).toBe(true);
  expect(mayMove(folders, 3, 2)).toBe(true);
  expect(mayMove(folders, 1, 4)).toBe(true);
});

it('searches all words in the names of programs and their folders', () => {
  const programs = [program(1, 2), program(2, null)];
  expect(searched(programs, folders, 'PROGRAM folder').map(({ id }) => id)).toEqual([1]);
  expect(searched(programs, folders, '2').map(({ id }) => id)).toEqual([1, 2]);
  // Accents need not be typed.
  expect(searched([{ ...program(3, null), name: 'Récolte d’été' }], folders, 'ETE recolte')).toHaveLength(1);
});
