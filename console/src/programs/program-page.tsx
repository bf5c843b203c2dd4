import { getRouteApi, Link } from '@tanstack/react-router';
import { useRecord } from '../data/collections.ts';
import { EmptyState, Page } from '../ui/page.tsx';
import { ProgramEditor } from './program-editor.tsx';
import { programsText } from './text.ts';

const programRoute = getRouteApi('/garden/programs/$id');

/** One program in the editor. */
export function ProgramPage() {
  const { id } = programRoute.useParams();
  const program = useRecord('sequences', Number(id));
  const text = programsText();
  if (program) return <ProgramEditor key={id} program={program} />;
  return (
    <Page title={text.noProgram}>
      <EmptyState
        title={text.noProgram}
        action={
          <Link to="/programs" search={{}}>
            {text.allPrograms}
          </Link>
        }
      >
        {text.noProgramHint}
      </EmptyState>
    </Page>
  );
}
