import { folders } from '../../garden/folders.ts';
import type { Entry } from '../import-entries.ts';
import { say } from '../messages.ts';
import type { TransferRules } from '../transfer-rules.ts';

export const folderRules: TransferRules = {
  resource: folders,
  isOptional: true,
  /** Rejects cycles, which clients do not display, except folders that contain themselves: these exist, and clients handle them. */
  check({ entries }, { remarks }) {
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const checked = new Set<Entry>();
    for (const first of entries) {
      const path = new Set<Entry>();
      let folder: Entry | undefined = first;
      while (folder && !checked.has(folder) && !path.has(folder)) {
        path.add(folder);
        const parent: unknown = folder.values.parent_id;
        folder = typeof parent === 'number' && parent !== folder.id ? byId.get(parent) : undefined;
      }
      if (folder && path.has(folder)) remarks.problem(`${folder.path}/parent_id`, say.folderCycle);
      for (const entry of path) checked.add(entry);
    }
  },
  toRow(row) {
    // Set after all folders are stored, because the parent may follow its children.
    row.parent_id = null;
  },
  async afterInsert(entries, { scope, slices, newId, storedId }) {
    for (const entry of entries) {
      const { parent_id } = entry.values;
      const parent = typeof parent_id === 'number' ? newId(folders.name, parent_id) : undefined;
      if (parent === undefined) continue;
      await scope.update(folders, { parent_id: parent }, { where: { id: storedId(folders.name, entry) } });
      await slices.pause();
    }
  },
};
