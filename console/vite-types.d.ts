// As in vite/client, which would add all functions of browsers, new ones, too.
/// <reference types="vite/types/importMeta.d.ts" />

declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module '*.css' {}

interface WindowEventMap {
  'vite:preloadError': Event & { payload: Error };
}
