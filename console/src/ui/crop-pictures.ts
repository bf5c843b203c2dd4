import { cropIcons } from './crop-icons.ts';

const files: Readonly<Record<string, string>> = import.meta.glob('./crops/*.svg', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Addresses of pictures by the slugs of crops. */
export const cropPictures: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(cropIcons).map(([slug, icon]) => [slug, files[`./crops/${icon}.svg`] ?? '']),
);
