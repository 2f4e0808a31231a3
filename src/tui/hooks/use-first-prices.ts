import { useApp } from 'ink';
import { useEffect, useRef } from 'react';

/** Calls `onShown` once the first prices are on the screen, not when they are only laid out. */
export function useFirstPrices(hasPrices: boolean, onShown: () => void): void {
  const { waitUntilRenderFlush } = useApp();
  const latest = useRef(onShown);
  latest.current = onShown;
  useEffect(() => {
    if (hasPrices) void waitUntilRenderFlush().then(() => latest.current());
  }, [hasPrices, waitUntilRenderFlush]);
}
