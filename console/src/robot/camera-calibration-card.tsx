import { useState } from 'react';
import {
  type CameraSetting,
  type CameraSettingName,
  cameraKey,
  cameraSettings,
  cameraValue,
  type Env,
} from '../data/camera-settings.ts';
import { type BatchPart, sendTogether } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { undoable } from '../data/undo.ts';
import { NumberField, Select } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Card } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import styles from './robot.module.css';
import { setupText } from './setup-text.ts';
import { Task } from './task.tsx';

type Values = Readonly<Record<string, number | string>>;

/** Calibrates the camera, and shows what was found as fields with units. */
export function CameraCalibrationCard() {
  const text = setupText();
  const envs = useRecords('farmware_envs');
  const height = envs.find(({ key }) => key === cameraKey('camera_z'))?.value;
  return (
    <Card title={text.camera}>
      <p>{height === undefined ? text.notCalibrated : text.calibrated(String(height))}</p>
      <p className={styles.soft}>{text.cameraHint}</p>
      <Task
        actions={[
          { word: text.calibrateCamera, program: { kind: 'execute_script', args: { label: 'camera-calibration' } } },
        ]}
      />
      <CameraForm envs={envs} />
    </Card>
  );
}

/** Stores settings, all or none. Throws an ApiError. */
async function save(values: Values, envs: readonly Env[], label: string): Promise<void> {
  const requests = Object.entries(values).map(([name, given]): BatchPart => {
    const key = cameraKey(name);
    const value = JSON.stringify(given);
    const env = envs.find((each) => each.key === key);
    return env
      ? { method: 'PATCH', path: `/api/farmware_envs/${env.id}`, body: { value } }
      : { method: 'POST', path: '/api/farmware_envs', body: { key, value } };
  });
  await sendTogether(requests, label);
}

function CameraForm({ envs }: { readonly envs: readonly Env[] }) {
  const text = setupText();
  const [typed, setTyped] = useState<Values>({});
  const submission = useSubmission();
  const hasDots = (typed.easy_calibration ?? cameraValue(cameraSettings.card[0], envs)) === 'TRUE';
  const isValid = Object.values(typed).every((value) => !Number.isNaN(value));
  const group = (settings: readonly (CameraSetting & { readonly name: CameraSettingName })[]) => (
    <div className={styles.fields}>
      {settings.map((setting) => {
        const { name, unit, choices, range } = setting;
        const common = { label: text.cameraFields[name], hint: text.cameraHints[name] };
        const value = typed[name] ?? cameraValue(setting, envs);
        const set = (next: number | string) => setTyped({ ...typed, [name]: next });
        return choices ? (
          <Select
            key={name}
            {...common}
            value={String(value)}
            choices={choices.map((choice) => ({ value: choice, label: text.cameraChoices[name]?.[choice] ?? choice }))}
            onChange={set}
          />
        ) : (
          <NumberField
            key={name}
            {...common}
            {...(unit && { unit })}
            {...(range && { minValue: range[0], maxValue: range[1] })}
            value={Number(value)}
            onChange={set}
          />
        );
      })}
    </div>
  );
  return (
    <Form
      onSubmit={() =>
        submission.run(
          () => undoable(text.cameraSaved, (label) => save(typed, envs, label)),
          () => setTyped({}),
        )
      }
      submit={text.save}
      submission={submission}
      isDisabled={Object.keys(typed).length === 0 || !isValid}
      {...(Object.keys(typed).length > 0 && { onCancel: () => setTyped({}) })}
    >
      <h3>{text.card}</h3>
      {group(cameraSettings.card)}
      {hasDots ? null : group(cameraSettings.colors)}
      <h3>{text.cameraPlace}</h3>
      {group(cameraSettings.camera)}
    </Form>
  );
}
