/** THE list of the parts of the server's page, in order. */
export const serverParts = ['state', 'figures', 'users', 'invitations', 'jobs'] as const;
