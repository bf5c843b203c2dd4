import { useState } from 'react';
import { runCommand } from '../data/commands.ts';
import { useIsConnected } from '../data/robot.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { Card } from '../ui/page.tsx';
import type { Step } from './control.ts';
import { robotText } from './text.ts';

/** Restarts and switches off, each after a confirmation. */
export function PowerCard() {
  const text = robotText();
  const isConnected = useIsConnected();
  const [asked, setAsked] = useState<number | null>(null);
  const actions: readonly { readonly name: string; readonly warning: string; readonly step: Step }[] = [
    { name: text.restart, warning: text.restartWarning, step: { kind: 'reboot', args: { package: 'farmbot_os' } } },
    {
      name: text.restartFirmware,
      warning: text.restartFirmwareWarning,
      step: { kind: 'reboot', args: { package: 'arduino_firmware' } },
    },
    { name: text.powerOff, warning: text.powerOffWarning, step: { kind: 'power_off', args: {} } },
  ];
  return (
    <Card title={text.power}>
      <Actions>
        {actions.map(({ name }, index) => (
          <Button key={name} tone="danger" isDisabled={!isConnected} onPress={() => setAsked(index)}>
            {name}
          </Button>
        ))}
      </Actions>
      {actions.map(({ name, warning, step }, index) => (
        <Confirmation
          key={name}
          title={text.sure(name)}
          isOpen={asked === index}
          onClose={() => setAsked(null)}
          confirm={name}
          onConfirm={() => void runCommand(name, step)}
        >
          {warning}
        </Confirmation>
      ))}
    </Card>
  );
}
