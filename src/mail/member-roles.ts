import { catalogIn } from '../core/catalog.ts';
import type { Role } from '../engine/rights.ts';

const en: Readonly<Record<Role, string>> = { viewer: 'viewer', gardener: 'gardener', owner: 'owner' };
const fr: typeof en = { viewer: 'lecteur', gardener: 'jardinier', owner: 'propriétaire' };

/** Returns the names in mails of the roles of people in a garden. */
export const rolesIn = catalogIn({ en, fr });
