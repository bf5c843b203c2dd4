import { useState } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { runCommand } from '../data/commands.ts';
import { useDevice } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/fields.tsx';
import { Card } from '../ui/page.tsx';
import { useIsControllable } from './control.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

type Sequence = RecordOf<'sequences'>;

/** Returns the program that calls this function of the robot's Lua in a step of its own, as the programs of all kits do. */
const programWith = (sequences: readonly Sequence[], name: 'mount_tool' | 'dismount_tool'): Sequence | undefined =>
  sequences.find(({ body }) =>
    body?.some((step) => step.kind === 'lua' && new RegExp(`(^|[^_\\w])${name}\\s*\\(`).test(step.args.lua)),
  );

/** The mounted tool, and the garden's programs that change it. */
export function ToolsCard() {
  const text = robotText();
  const isControllable = useIsControllable();
  const tools = useRecords('tools');
  const sequences = useRecords('sequences');
  const { mounted_tool_id } = useDevice();
  const [chosen, setChosen] = useState<number | null>(null);
  const mounted = tools.find(({ id }) => id === mounted_tool_id);
  const tool = tools.find(({ id }) => id === chosen);
  const mount = programWith(sequences, 'mount_tool');
  const dismount = programWith(sequences, 'dismount_tool');
  const parameter = mount?.args.locals.body?.find(({ kind }) => kind === 'parameter_declaration')?.args.label;
  return (
    <Card title={text.tools}>
      <p>{mounted ? text.mounted(mounted.name ?? '') : text.noneMounted}</p>
      {mount && parameter !== undefined && !mounted ? (
        <>
          <Select
            label={text.tool}
            value={chosen}
            onChange={setChosen}
            choices={tools
              .filter(({ utm_mountable }) => utm_mountable)
              .map(({ id, name }) => ({ value: id, label: name ?? '' }))}
          />
          <Actions>
            <Button
              isDisabled={!isControllable || !tool}
              onPress={() => {
                if (!tool) return;
                const parameters = { [parameter]: { kind: 'tool' as const, args: { tool_id: tool.id } } };
                void runCommand(text.mountSentence(tool.name ?? ''), { sequence_id: mount.id, parameters });
              }}
            >
              {text.mount}
            </Button>
          </Actions>
        </>
      ) : null}
      {dismount && mounted ? (
        <Actions>
          <Button
            isDisabled={!isControllable}
            onPress={() => void runCommand(text.dismountSentence, { sequence_id: dismount.id })}
          >
            {text.dismount}
          </Button>
        </Actions>
      ) : null}
      {mount || dismount ? null : <p className={styles.soft}>{text.noToolPrograms}</p>}
    </Card>
  );
}
