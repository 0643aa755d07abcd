import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';

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

/** What ends requests when the part that made them goes: nobody waits for their answers then. */
export function useEnd(): () => AbortSignal {
  const end = useRef(new AbortController());
  useEffect(() => {
    // Whoever develops sees each part go and come back at once.
    end.current = new AbortController();
    return () => end.current.abort();
  }, []);
  return useCallback(() => end.current.signal, []);
}
