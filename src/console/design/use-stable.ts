import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same one and does what the newest one does. Parts that are drawn again only when something changes take it. */
export function useStable<Arguments extends readonly unknown[], Result>(
  newest: (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  const latest = useRef(newest);
  useLayoutEffect(() => {
    latest.current = newest;
  });
  return useCallback((...args) => latest.current(...args), []);
}
