import { useState } from 'react';
import { api } from '../data/api.ts';
import type { Layer } from '../data/followed-settings.ts';
import { singleQueries, updateSingle, useMayWrite, useWebAppConfig } from '../data/singles.ts';
import { showProblem } from '../ui/toasts.tsx';

/** The shown layers. */
export interface LayerSwitches {
  shown(layer: Layer): boolean;
  change(layer: Layer, isShown: boolean): void;
}

/** Returns the switches of layers: the garden's settings; viewers have their own, as long as the page is open. Suspends. */
export function useLayerSwitches(): LayerSwitches {
  const config = useWebAppConfig();
  const mayWrite = useMayWrite();
  const [own, setOwn] = useState<Partial<Record<Layer, boolean>>>({});
  return {
    shown: (layer) => own[layer] ?? config[layer],
    change(layer, isShown) {
      if (!mayWrite) return setOwn({ ...own, [layer]: isShown });
      const update = { [layer]: isShown };
      updateSingle(singleQueries.webAppConfig, update, () => api.PATCH('/api/web_app_config', { body: update })).catch(
        showProblem,
      );
    },
  };
}
