import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { useServer } from '../data/server.ts';
import { useSession } from '../data/session.ts';
import { Select } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { getLanguage } from '../ui/language.ts';
import { Card, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { useSignIn } from './sign-in.ts';
import { authText } from './text.ts';

/** The robot of demo gardens unless the visitor chooses another. */
export const demoRobot = 'genesis_1.8' as const;

/** Starts a demo garden with a chosen robot. */
export function DemoPage() {
  const text = authText();
  const { robots, demo_gardens } = useServer();
  const completeSignIn = useSignIn();
  const session = useSession();
  const [line, setLine] = useState<string>(demoRobot);
  const submission = useSubmission();
  if (!demo_gardens)
    return (
      <Page title={text.demo} width="narrow">
        <Notice>{text.demoOff}</Notice>
        <Link to="/">{text.home}</Link>
      </Page>
    );
  const start = () =>
    submission.run(async () =>
      completeSignIn(
        await bodyOf(api.POST('/api/demo_gardens', { body: { product_line: line, language: getLanguage() } })),
        undefined,
      ),
    );
  return (
    <Page title={text.demo} width="narrow">
      <p>{text.demoText}</p>
      {session ? <Notice>{text.demoReplaces}</Notice> : null}
      <Card>
        <Form onSubmit={start} submit={text.startDemo} submission={submission}>
          <Select
            label={text.yourRobot}
            value={line}
            onChange={setLine}
            choices={robots.map(({ product_line, model, version }) => ({
              value: product_line,
              label: `${model} ${version}`,
            }))}
          />
        </Form>
      </Card>
    </Page>
  );
}
