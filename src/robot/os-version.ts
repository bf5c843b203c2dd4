/** The versions of the robot's operating system that a virtual robot can be, the newest first. [ADR 107] */
export const osVersions = ['15.5.3', '15.4.11'] as const;

export type OsVersion = (typeof osVersions)[number];

/** Whether a version keeps a copy of its account, its session and its token, as OS 15.4 does. [rule R33] */
export const isOs154 = (version: OsVersion): boolean => version === '15.4.11';
