import { useEffect, useRef, useState } from 'react';
import { type CommandResult, type RobotProgram, sendProgram } from '../data/commands.ts';
import { onRobotMessage } from '../data/live.ts';
import { logInWords } from '../data/log-words.ts';
import { errorMessage } from '../ui/error-message.ts';

/** A line of the robot's log. */
export interface RunLog {
  readonly key: number;
  readonly type: string;
  readonly message: string;
}

/** A run on the robot that this page started. */
export interface Run {
  readonly state: 'none' | 'running' | 'done';
  /** The name of the program or step. */
  readonly title: string;
  /** The response of the robot. */
  readonly result: CommandResult | null;
  /** The server's message if the request failed. */
  readonly failure: string | null;
  /** Log messages of the robot since the start. */
  readonly logs: readonly RunLog[];
  start(title: string, program: RobotProgram): Promise<void>;
}

const maxLogs = 200;

/** Runs programs and steps, and collects the robot's messages until the end. */
export function useRun(): Run {
  const [run, setRun] = useState<Omit<Run, 'start' | 'logs'>>({
    state: 'none',
    title: '',
    result: null,
    failure: null,
  });
  const [logs, setLogs] = useState<readonly RunLog[]>([]);
  const isListening = useRef(false);
  const count = useRef(0);

  useEffect(
    () =>
      onRobotMessage('logs', ({ message, type }) => {
        if (!isListening.current || typeof message !== 'string') return;
        const log = {
          key: ++count.current,
          type: typeof type === 'string' ? type : 'info',
          message: logInWords(message),
        };
        setLogs((before) => [...before, log].slice(-maxLogs));
      }),
    [],
  );

  return {
    ...run,
    logs,
    async start(title, program) {
      if (run.state === 'running') return;
      isListening.current = true;
      setLogs([]);
      setRun({ state: 'running', title, result: null, failure: null });
      try {
        const result = await sendProgram(program);
        setRun({ state: 'done', title, result, failure: null });
      } catch (error) {
        setRun({ state: 'done', title, result: null, failure: errorMessage(error) });
      }
    },
  };
}
