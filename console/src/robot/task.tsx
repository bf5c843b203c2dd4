import { useEffect, useRef, useState } from 'react';
import { commandSentence, type RobotProgram, runCommand, type SentCommand } from '../data/commands.ts';
import { onRobotMessage } from '../data/live.ts';
import { logInWords } from '../data/log-words.ts';
import { useIsConnected } from '../data/robot.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import styles from './robot.module.css';

/** A command of the set-up. */
export interface TaskAction {
  /** The label of its button. */
  readonly word: string;
  readonly program: RobotProgram;
  /** A robot that ends or forgets something: the question before it. */
  readonly warning?: { readonly title: string; readonly hint: string };
  readonly isDisabled?: boolean;
}

const maxLogs = 5;

/** Buttons for commands, one of which runs at a time, and below them what the robot answers: its response, and its log until then. */
export function Task({ actions }: { readonly actions: readonly TaskAction[] }) {
  const isConnected = useIsConnected();
  const [sent, setSent] = useState<Omit<SentCommand, 'id'> | null>(null);
  const [logs, setLogs] = useState<readonly string[]>([]);
  const isRunning = sent !== null && sent.result === null;
  const isListening = useRef(false);
  useEffect(
    () =>
      onRobotMessage('logs', ({ message }) => {
        if (isListening.current && typeof message === 'string')
          setLogs((before) => [...before, logInWords(message)].slice(-maxLogs));
      }),
    [],
  );
  const run = async ({ word: name, program }: TaskAction): Promise<void> => {
    setLogs([]);
    isListening.current = true;
    setSent({ name, result: null });
    const result = await runCommand(name, program);
    isListening.current = false;
    setSent(result && { name, result });
  };
  return (
    <>
      <Actions>
        {actions.map((action) => {
          const { word, warning, isDisabled = false } = action;
          const common = { isDisabled: !isConnected || isRunning || isDisabled };
          return warning ? (
            <ConfirmButton
              key={word}
              {...common}
              {...warning}
              tone="danger"
              word={word}
              onConfirm={() => void run(action)}
            />
          ) : (
            <Button key={word} {...common} isPending={isRunning && sent.name === word} onPress={() => void run(action)}>
              {word}
            </Button>
          );
        })}
      </Actions>
      <p role="status">{sent ? commandSentence({ ...sent, id: 0 }) : null}</p>
      {logs.length > 0 ? (
        <ul className={styles.answer}>
          {logs.map((log, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same sentence may come twice
            <li key={index}>{log}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
