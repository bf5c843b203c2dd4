import { useNavigate, useSearch } from '@tanstack/react-router';
import { TextField } from './fields.tsx';

interface FindFieldProps {
  readonly label: string;
  readonly hint?: string;
}

/** The search field of a page, whose words are in its address. */
export function FindField(props: FindFieldProps) {
  const { find = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <TextField
      {...props}
      type="search"
      value={find}
      onChange={(next) =>
        void navigate({ to: '.', search: (before) => ({ ...before, find: next || undefined }), replace: true })
      }
    />
  );
}
