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

/** The same act, but not again while it is in progress: a double click comes before anything is drawn. What it throws is for `act` to show. */
export function useOnce<Arguments extends readonly unknown[]>(
  act: (...args: Arguments) => Promise<unknown>,
): (...args: Arguments) => void {
  const isBusy = useRef(false);
  return useStable((...args: Arguments) => {
    if (isBusy.current) return;
    isBusy.current = true;
    const end = () => {
      isBusy.current = false;
    };
    act(...args).then(end, end);
  });
}
