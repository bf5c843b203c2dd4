import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { type RobotProgram, runCommand } from '../data/commands.ts';
import { ParameterFields, problemKey, requireValues } from '../data/parameter-field.tsx';
import { type ParameterValues as GivenValues, type Parameter, parametersOf } from '../data/parameters.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Card } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { useIsControllable } from './control.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

type Sequence = RecordOf<'sequences'>;

/** The pinned programs as buttons; those with parameters ask for them. */
export function ProgramsCard() {
  const text = robotText();
  const isControllable = useIsControllable();
  const pinned = useRecords('sequences').filter((sequence) => sequence.pinned);
  const [asked, setAsked] = useState<Sequence | null>(null);
  const run = ({ id, name }: Sequence, parameters: ParameterValues = {}): void => {
    void runCommand(text.runSentence(name), { sequence_id: id, parameters });
  };
  return (
    <Card title={text.programs}>
      {pinned.length === 0 ? (
        <p className={styles.soft}>
          {text.noPrograms} <Link to="/programs">{text.toPrograms}</Link>
        </p>
      ) : null}
      <ul className={styles.list}>
        {pinned.map((sequence) => {
          const hasParameters = parametersOf(sequence).length > 0;
          return (
            <li key={sequence.id} className={styles.row}>
              <span>{sequence.name}</span>
              <Button
                aria-label={text.runSentence(sequence.name)}
                isDisabled={!isControllable}
                onPress={() => (hasParameters ? setAsked(sequence) : run(sequence))}
              >
                {hasParameters ? `${text.run}…` : text.run}
              </Button>
            </li>
          );
        })}
      </ul>
      <Dialog title={asked ? text.parameters(asked.name) : ''} isOpen={asked !== null} onClose={() => setAsked(null)}>
        {asked ? (
          <ParametersForm
            key={asked.id}
            parameters={parametersOf(asked)}
            onRun={(parameters) => {
              setAsked(null);
              run(asked, parameters);
            }}
          />
        ) : null}
      </Dialog>
    </Card>
  );
}

type ParameterValues = NonNullable<Extract<RobotProgram, { sequence_id: number }>['parameters']>;

function ParametersForm({
  parameters,
  onRun,
}: {
  readonly parameters: readonly Parameter[];
  readonly onRun: (values: ParameterValues) => void;
}) {
  const [values, setValues] = useState<GivenValues>({});
  const submission = useSubmission();
  const run = () =>
    submission.run(async () => {
      requireValues(parameters, values);
      // The others have the value of the program.
      const given = Object.entries(values).flatMap(([label, value]) => (value === null ? [] : [[label, value]]));
      onRun(Object.fromEntries(given));
    });
  return (
    <Form onSubmit={run} submit={robotText().run} submission={submission} fields={parameters.map(problemKey)}>
      <ParameterFields
        parameters={parameters}
        values={values}
        onChange={setValues}
        problems={submission.problems}
        isDisabled={false}
      />
    </Form>
  );
}
