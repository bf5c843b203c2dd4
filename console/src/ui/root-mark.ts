import { useLayoutEffect } from 'react';

/** Marks the root element with `data-NAME` while a component is shown, for styles elsewhere: older browsers have no `:has()`. */
export function useRootMark(name: 'controls' | 'frame' | 'panel'): void {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset[name] = '';
    return () => {
      delete dataset[name];
    };
  }, [name]);
}
