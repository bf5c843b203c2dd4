import { api } from '../data/api.ts';
import { attempt } from '../data/confirmation.ts';
import { useGarden } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/download.ts';
import { Card, Notice } from '../ui/page.tsx';
import { showToast } from '../ui/toasts.tsx';
import { Import } from './import.tsx';
import { partsText } from './parts-text.ts';

/** Export and import of the garden. */
export function Transfer() {
  const { role } = useGarden();
  return (
    <>
      {role === 'owner' ? <Export /> : <Notice>{partsText().onlyOwnersChange}</Notice>}
      {role === 'viewer' ? null : <Import />}
    </>
  );
}

function Export() {
  const text = partsText();
  const exportAs = (photos: boolean): Promise<boolean> =>
    attempt(async () => {
      const { data, response } = await api.POST('/api/export_data', {
        params: { query: photos ? { photos } : {} },
        body: {},
        parseAs: 'blob',
      });
      // Accepted: it comes by mail.
      if (response.status === 202 || !data) return showToast({ text: text.exportMailed });
      saveFile(data, photos ? 'potager-export.zip' : 'potager-export.json');
      showToast({ text: text.exported });
    });
  return (
    <Card
      title={text.export}
      actions={
        <>
          <Button onPress={() => void exportAs(false)}>{text.exportDocument}</Button>
          <Button onPress={() => void exportAs(true)}>{text.exportArchive}</Button>
        </>
      }
    >
      <p>{text.exportHint}</p>
    </Card>
  );
}
