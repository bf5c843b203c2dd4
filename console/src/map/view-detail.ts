import { useSyncExternalStore } from 'react';
import type { Viewport } from './viewport.ts';

/** Below this scale, in pixels per mm, pictures are too small to tell apart: plants are dots. */
const minPictureScale = 0.07;

export type Detail = 'pictures' | 'dots';

/** Returns the details that can be distinguished at the scale of the view. */
export const useDetail = (viewport: Viewport): Detail =>
  useSyncExternalStore(viewport.subscribe, () => (viewport.view.scale < minPictureScale ? 'dots' : 'pictures'));
