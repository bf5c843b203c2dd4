import { useQuery } from '@tanstack/react-query';
import { api } from '../data/api.ts';
import { errorMessage } from '../ui/error-message.ts';
import { Notice } from '../ui/page.tsx';
import styles from './editor.module.css';
import type { Program } from './program-draft.ts';
import { programsText } from './text.ts';

/** The stored program as text, as the server writes it. */
export function TextPanel({ program, isChanged }: { program: Program; isChanged: boolean }) {
  const text = programsText();
  const { data, error } = useQuery({
    queryKey: ['program text', program.id, program.updated_at],
    queryFn: async () => {
      const { data: answer } = await api.GET('/api/sequences/{id}/text', {
        params: { path: { id: program.id } },
        parseAs: 'text',
      });
      return answer ?? '';
    },
  });
  return (
    <div className={styles.panelContent}>
      <h2>{text.asText}</h2>
      {isChanged ? <Notice>{text.textOfStored}</Notice> : null}
      {error ? <Notice tone="danger">{errorMessage(error)}</Notice> : null}
      <pre className={styles.text}>{data ?? ''}</pre>
    </div>
  );
}
