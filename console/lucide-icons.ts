import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Reduces the file with all icons of Lucide to those that ui/icons.tsx names, without the attributes that it sets. */
export function lucideIcons(): Plugin {
  const source = readFileSync(join(import.meta.dirname, 'src/ui/icons.tsx'), 'utf8');
  const names = new Set([...source.matchAll(/icon\('([\w-]+)'\)/g)].map(([, name]) => name));
  const attributes = / (?:fill="none"|stroke[\w-]*="[^"]*")/g;
  return {
    name: 'lucide icons',
    load: {
      filter: { id: /@iconify-json\/lucide\/icons\.json$/ },
      handler(id) {
        const all: Record<string, { readonly body: string }> = JSON.parse(readFileSync(id, 'utf8')).icons;
        const used = Object.entries(all).filter(([name]) => names.has(name));
        const icons = used.map(([name, { body }]) => [name, { body: body.replaceAll(attributes, '') }]);
        return JSON.stringify({ icons: Object.fromEntries(icons) });
      },
    },
  };
}
