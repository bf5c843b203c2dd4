/** The rights that a personal token may have, with their meanings. */
export const scopes = {
  read: 'Read everything but accounts, members, tokens and webhooks.',
  garden: 'Read and write plants, points, tools, photos and the settings of the robot.',
  programs: 'Read and write sequences, regimens and farm events.',
  control: 'Send commands to the robot.',
  logs: 'Read, write and delete logs.',
  account: 'Read and write what belongs to the account.',
  admin: 'Read what administrators of the server see.',
} as const;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as readonly Scope[];

export interface Tag {
  /** The purpose of the operations, for the documentation. */
  readonly description: string;
  /** The scope that requests other than GET need; a GET needs `read` unless `isPrivate`. */
  readonly scope: Scope;
  /** A GET needs the same scope as other requests. */
  readonly isPrivate?: true;
  /** The least role for requests other than GET, if it is not `gardener`. */
  readonly writer?: 'viewer' | 'owner';
  /** The least role for a GET, if it is not `viewer`. */
  readonly reader?: 'owner';
  /** For administrators of the server only, whatever their role in the garden of the token; not with a robot's session or a temporary token. [ADR 50] */
  readonly isAdministrative?: true;
}

/** All groups of operations, in the order in which a new client uses them. */
export const tags = {
  'Sign in': {
    description: 'Make an account, sign in and out. `POST /api/tokens` returns the token that other operations need.',
    scope: 'account',
    isPrivate: true,
    writer: 'viewer',
  },
  Account: {
    description: 'The users of the account, its data as a file, and what it may store.',
    scope: 'account',
    isPrivate: true,
    writer: 'owner',
  },
  Device: {
    description: 'The robot and its settings, what it needs to synchronize, and its telemetry and alerts.',
    scope: 'garden',
  },
  Control: {
    description: 'What the robot is doing now, and commands to it.',
    scope: 'control',
  },
  Garden: {
    description: 'The map: plants, weeds, tool slots and other points, groups of them, and layouts to plant again.',
    scope: 'garden',
  },
  'Tools and pins': {
    description: 'What is attached to the robot: tools, sensors and their readings, peripherals, buttons and cameras.',
    scope: 'garden',
  },
  Programs: {
    description:
      'Sequences are programs of the robot, in the command language; regimens run them on the days of a plan. Programs are checked when they are stored.',
    scope: 'programs',
  },
  'Shared programs': { description: 'Sequences that other accounts publish.', scope: 'programs' },
  Schedule: { description: 'Farm events: when sequences and regimens run.', scope: 'programs' },
  Photos: { description: 'Photos of the garden: upload, list, view.', scope: 'garden' },
  Logs: { description: 'Messages of the robot and of programs.', scope: 'logs' },
  Farmware: { description: 'Third-party programs on the robot, and their settings.', scope: 'garden' },
  History: {
    description: 'What was changed by whom, and how to undo it.',
    scope: 'garden',
  },
  Webhooks: {
    description: 'Addresses to which the server posts what changes in the garden and what the robot does.',
    scope: 'account',
    isPrivate: true,
    writer: 'owner',
    // An address may contain a secret.
    reader: 'owner',
  },
  Notifications: {
    description: 'How you are notified of what the robot says, on the pages of the garden and away from them.',
    scope: 'account',
    isPrivate: true,
    writer: 'viewer',
  },
  People: {
    description:
      'Several people in one garden, and several gardens of one person: members and their roles, invitations, further gardens.',
    scope: 'account',
    isPrivate: true,
    writer: 'owner',
  },
  Operator: { description: 'News from the operator of the server, and messages to it.', scope: 'account' },
  Server: { description: 'Configuration, health and metrics of the server.', scope: 'admin' },
  Administration: {
    description:
      'For administrators of the server: its accounts, its state, who may sign up. Changes need the password, or a recent sign-in with it.',
    scope: 'admin',
    isPrivate: true,
    writer: 'viewer',
    isAdministrative: true,
  },
  Pages: { description: 'Pages for browsers, and the links in mails.', scope: 'account' },
  'Message broker': {
    description: 'What a RabbitMQ server asks about its clients. Only programs on this machine may ask.',
    scope: 'admin',
  },
} as const satisfies Readonly<Record<string, Tag>>;

export type TagName = keyof typeof tags;

export const tagNames = Object.keys(tags) as readonly TagName[];
