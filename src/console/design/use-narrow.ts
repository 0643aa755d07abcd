import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(width < 720px)');

/** Whether a table does not fit on the screen, so that rows are cards. The style sheets have the same width. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
