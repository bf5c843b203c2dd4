import { Link } from '@tanstack/react-router';
import { choiceLabel } from '../data/choice-label.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { Select, TextField } from '../ui/fields.tsx';
import styles from './editor.module.css';
import { useEditor, useGrammar } from './editor-context.ts';
import type { Color, ProgramDraft } from './program-draft.ts';
import { programsText } from './text.ts';
import { UseList } from './use-list.tsx';
import { VariablesPanel, type VariablesPanelProps } from './variables-panel.tsx';

export interface AboutPanelProps extends VariablesPanelProps {
  readonly id: number;
  /** The server's messages about fields. */
  readonly fieldProblems: Readonly<Record<string, string>>;
}

/** Name, description and variables of a program, and its uses. */
export function AboutPanel({ id, draft, onChange, problems, fieldProblems }: AboutPanelProps) {
  const { isDisabled } = useEditor();
  const grammar = useGrammar();
  const text = programsText();
  const set = (change: Partial<ProgramDraft>, mark: string | null): void => onChange({ ...draft, ...change }, mark);
  return (
    <div className={styles.panelContent}>
      <h2>{text.about}</h2>
      <TextField
        label={sharedLabels().name}
        value={draft.name}
        onChange={(name) => set({ name }, 'name')}
        problem={fieldProblems.name}
        isDisabled={isDisabled}
        isRequired
      />
      <TextField
        label={sharedLabels().description}
        value={draft.description}
        onChange={(description) => set({ description }, 'description')}
        problem={fieldProblems.description}
        isDisabled={isDisabled}
        isLong
      />
      <Select
        label={sharedLabels().color}
        value={draft.color}
        choices={grammar
          .list('Color')
          .map((color) => ({ value: String(color) as Color, label: choiceLabel('color', color) ?? String(color) }))}
        onChange={(color) => set({ color }, null)}
        isDisabled={isDisabled}
      />
      <VariablesPanel draft={draft} onChange={onChange} problems={problems} />
      <section className={styles.panelContent}>
        <h3>{text.usedBy}</h3>
        <UseList id={id} />
        <Link to="/programs" search={{}}>
          {text.allPrograms}
        </Link>
      </section>
    </div>
  );
}
