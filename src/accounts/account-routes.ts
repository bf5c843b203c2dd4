import type { Route } from '../engine/route.ts';
import { keyRoutes } from './key-routes.ts';
import { passwordResetRoutes } from './password-reset-routes.ts';
import type { AccountServices } from './services.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import { verificationRoute } from './verification-routes.ts';

/** Every route of accounts but the global config and demo accounts. */
export const accountRoutes = (services: AccountServices): Route[] => [
  ...tokenRoutes(services),
  ...userRoutes(services),
  ...passwordResetRoutes(services),
  ...keyRoutes(services),
  verificationRoute(services),
];
