import { useEffect, useRef, useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import type { components } from '../data/generated/api.ts';
import { onRobotMessage } from '../data/live.ts';

type Command = components['schemas']['Command'];
export type RunResult = components['schemas']['CommandResult'];

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
  readonly result: RunResult | null;
  /** The server's message if the request failed. */
  readonly failure: string | null;
  /** Log messages of the robot since the start. */
  readonly logs: readonly RunLog[];
  start(title: string, program: Command['program']): Promise<void>;
}

/** How long the server waits for the robot, in seconds: the most that it offers. */
const wait = 120;
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
        const log = { key: ++count.current, type: typeof type === 'string' ? type : 'info', message };
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
        const result = await bodyOf(api.POST('/api/commands', { body: { program, wait } }));
        setRun({ state: 'done', title, result, failure: null });
      } catch (error) {
        setRun({ state: 'done', title, result: null, failure: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}
