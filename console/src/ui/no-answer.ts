import { initialLanguage } from './initial-language.ts';

const texts = {
  en: { title: 'The server does not answer', hint: 'This page opens as soon as it does.', signIn: 'Sign in instead' },
  fr: {
    title: 'Le serveur ne répond pas',
    hint: 'Cette page s’ouvrira dès qu’il répondra.',
    signIn: 'Se connecter autrement',
  },
} as const;

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text: string): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  created.textContent = text;
  return created;
}

/** Shows that the server does not answer, before anything else is loaded. */
export function showNoAnswer(): void {
  // Not by its function, whose file waits for others.
  document.querySelector('.first')?.remove();
  const language = initialLanguage();
  const { title, hint, signIn } = texts[language];
  document.documentElement.lang = language;
  const link = element('a', signIn);
  link.href = `${import.meta.env.BASE_URL}sign-in`;
  const notice = document.createElement('div');
  notice.setAttribute('role', 'alert');
  notice.style.padding = 'var(--space-5)';
  notice.append(element('h1', title), element('p', hint), link);
  document.getElementById('root')?.replaceChildren(notice);
}
