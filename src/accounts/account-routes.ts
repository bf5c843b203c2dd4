import type { Route } from '../engine/route.ts';
import { gardenRoutes } from './garden-routes.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { passwordResetRoutes } from './password-reset-routes.ts';
import { personalTokenRoutes } from './personal-token-routes.ts';
import { resumptionRoutes } from './resumption-routes.ts';
import type { AccountServices } from './services.ts';
import { sessionRoutes } from './session-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import { verificationMailRoute, verificationRoute } from './verification-routes.ts';

/** Every route of accounts but the global config and demo accounts. */
export const accountRoutes = (services: AccountServices): Route[] => [
  ...tokenRoutes(services),
  ...resumptionRoutes(services),
  ...sessionRoutes(services),
  ...personalTokenRoutes(services),
  ...userRoutes(services),
  ...passwordResetRoutes(services),
  ...keyRoutes(services),
  ...memberRoutes(services),
  ...invitationRoutes(services),
  ...gardenRoutes(services),
  verificationRoute(services),
  verificationMailRoute(services),
];
