import { expect, it } from 'vitest';
import { escapeHtml } from './html.ts';

it('escapes all characters that could end text or an attribute', () => {
  expect(escapeHtml(`<b title="x" id='y'>&amp;</b>`)).toBe(
    '&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;',
  );
  expect(escapeHtml('Beet & Söhne')).toBe('Beet &amp; Söhne');
});
