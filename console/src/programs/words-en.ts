// Words for names of the command language. A name that is in no table is shown unchanged, with spaces for underscores.
export const en = {
  /** The question of the choice between the kinds of values of an argument. */
  questions: {
    _then: 'What to do then',
    _else: 'What to do otherwise',
    axis_operand: 'Where the value comes from',
    data_value: 'Kind of value',
    default_value: 'Kind of value',
    lhs: 'What to compare',
    location: 'Where to',
    pin_number: 'How the pin is chosen',
    resource: 'What to change',
    speed_setting: 'How the speed is given',
    value: 'Kind of value',
  },
  alternatives: { text: 'Text', integer: 'Number', number: 'Number', boolean: 'Yes or no', choice: 'Position or pin' },
  variable: (name: string) => `the variable “${name}”`,
  pair: (name: string, value: string) => `${name}: ${value}`,
  /** The consequence of a comparison. Null: none. */
  branches: (test: string, then: string | null, otherwise: string | null) =>
    `${test}${then === null ? '' : `: ${then}`}${otherwise === null ? '' : `; otherwise: ${otherwise}`}`,
  on: 'on',
  off: 'off',
  /** Descriptions of steps, where the server's is in another language or uses terms of the command language. */
  abouts: {
    assertion: 'Runs Lua as a test, and decides what follows when it does not give “true”.',
    _if: 'Compares a position or the value of a pin with a number, and runs one program or another one, or nothing.',
    execute: 'Runs another program, or the same one again.',
    execute_script: 'Runs a farmware, which is a third-party program on the robot. Names and values are its inputs.',
    lua: 'Runs Lua on the robot.',
    move: 'Moves the robot. The parts give the target, offsets, speeds and the order of the axes.',
    set_user_env: 'Stores settings for farmware on the robot.',
    update_resource: 'Changes an item, such as the stage of a plant. Names and values are its fields.',
  },
};

/** The names of the command language, by language. */
export type Words = {
  readonly [K in Exclude<keyof typeof en, 'abouts'>]: (typeof en)[K] extends ((...args: never[]) => string) | string
    ? (typeof en)[K]
    : { readonly [N in keyof (typeof en)[K]]: string };
} & { readonly abouts: Readonly<Record<string, string>> };
