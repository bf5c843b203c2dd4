/** The authors of changes; a number is the id of a person. */
export const actorKinds = ['user', 'robot', 'job', 'server'] as const;
