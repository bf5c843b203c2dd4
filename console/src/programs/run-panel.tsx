import { useState } from 'react';
import { api } from '../data/api.ts';
import { useRobotPart } from '../data/robot.ts';
import { singleQueries, updateSingle, useOsConfig } from '../data/singles.ts';
import { variableName } from '../data/variable-name.ts';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/fields.tsx';
import { Play } from '../ui/icons.tsx';
import { Notice } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import styles from './editor.module.css';
import { useEditor } from './editor-context.ts';
import type { ProgramNode } from './node.ts';
import { ArgumentValues } from './node-form.tsx';
import type { Program } from './program-draft.ts';
import { programsText } from './text.ts';
import type { Run } from './use-run.ts';
import { declarationsOf, declaredParameters, isPlaceholder } from './variables.ts';

const tones = { ok: 'success', error: 'danger', timeout: 'warn', offline: 'warn' } as const;

/** Runs the stored program with values for its variables, and shows the robot's messages. */
export function RunPanel({
  program,
  run,
  running,
  isChanged,
}: {
  readonly program: Program;
  readonly run: Run;
  /** The robot's position in the program, if it reports it. */
  readonly running: { readonly step: number; readonly steps: number } | null;
  readonly isChanged: boolean;
}) {
  const { isDisabled } = useEditor();
  const isAway = useRobotPart(({ connected }) => !connected);
  const text = programsText();
  const [applications, setApplications] = useState<readonly ProgramNode[]>([]);
  const parameters = declaredParameters(declarationsOf(program.args));
  const missing = parameters.filter(
    ({ label, defaultValue }) => isPlaceholder(defaultValue) && !applications.some(({ args }) => args.label === label),
  );
  const start = (): void => {
    const values = Object.fromEntries(applications.map(({ args }) => [String(args.label), args.data_value]));
    void run.start(program.name, {
      sequence_id: program.id,
      parameters: values as Record<string, never>,
    });
  };
  const { state, result, failure } = run;
  return (
    <div className={styles.panelContent}>
      <h2>{text.run}</h2>
      {isAway ? <Notice tone="warn">{text.robotOffline}</Notice> : null}
      {isChanged ? <Notice>{text.runsStored}</Notice> : null}
      <ArgumentValues
        parameters={parameters}
        applications={applications}
        onChange={(next) => setApplications(next)}
        mayBeVariable={false}
      />
      {missing.length > 0 ? (
        <p>{text.valuesMissing(missing.map(({ label }) => variableName(label)).join(', '))}</p>
      ) : null}
      <Button
        tone="primary"
        icon={<Play />}
        onPress={start}
        isDisabled={isDisabled || state === 'running' || missing.length > 0}
      >
        {text.runNow}
      </Button>
      <StepLogSwitch />
      <p role="status">{running ? text.runningStep(running.step, running.steps) : null}</p>
      {state === 'none' ? null : (
        <section className={styles.run} aria-label={text.runOf(run.title)}>
          <h3>{text.runOf(run.title)}</h3>
          {state === 'running' ? <p role="status">{text.running}</p> : null}
          {failure === null ? null : <Notice tone="danger">{failure}</Notice>}
          {result ? (
            <Notice tone={tones[result.status]}>{result.explanation ?? text.results[result.status]}</Notice>
          ) : null}
          <ol className={styles.logs} aria-label={text.robotSays}>
            {run.logs.map(({ key, type, message }) => (
              <li key={key} data-type={type}>
                {message}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

/** Whether the robot logs each step that it runs. */
function StepLogSwitch() {
  const { sequence_body_log: isOn } = useOsConfig();
  return (
    <Switch
      label={programsText().logSteps}
      isSelected={isOn === true}
      onChange={(next) =>
        updateSingle<{ sequence_body_log: boolean }>(singleQueries.osConfig, { sequence_body_log: next }, () =>
          api.PATCH('/api/fbos_config', { body: { sequence_body_log: next } }),
        ).catch(showProblem)
      }
    />
  );
}
