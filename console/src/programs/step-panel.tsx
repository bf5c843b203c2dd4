import { TextField } from '../ui/fields.tsx';
import styles from './editor.module.css';
import { useEditor } from './editor-context.ts';
import { type ProgramNode, withComment } from './node.ts';
import { NodeForm } from './node-form.tsx';
import type { Problem } from './problem-places.ts';
import { programsText } from './text.ts';
import { aboutWords, kindWords } from './words.ts';

export interface StepPanelProps {
  readonly node: ProgramNode;
  /** Its number among the steps. */
  readonly number: number;
  readonly problems: readonly Problem[];
  readonly onChange: (node: ProgramNode, mark: string | null) => void;
}

/** The form of one step. */
export function StepPanel({ node, number, problems, onChange }: StepPanelProps) {
  const { grammar } = useEditor();
  const text = programsText();
  return (
    <div className={styles.panelContent}>
      <h2>
        {number}. {kindWords(node.kind)}
      </h2>
      <p className={styles.hint}>{aboutWords(node.kind) ?? grammar.description(node.kind).replaceAll('`', '')}</p>
      <NodeForm node={node} problems={problems} onChange={onChange} />
      <TextField
        label={text.comment}
        value={node.comment ?? ''}
        onChange={(comment) => onChange(withComment(node, comment), 'comment')}
      />
    </div>
  );
}
