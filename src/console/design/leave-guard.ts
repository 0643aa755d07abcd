import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLeaving } from '../wire/session.ts';
import { noteGuard } from './unsaved.ts';
import { useStable } from './use-stable.ts';

/**
 * Asks before the screen is left with something that is not saved. `isUnsaved` is asked at that moment.
 *
 * @param isOfPage Whether what is not saved stays while only the search of the address changes.
 */
export function useLeaveGuard(isUnsaved: () => boolean, question: () => string, { isOfPage = false } = {}): void {
  const isHeld = useStable(() => !isLeaving() && isUnsaved());
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !(isOfPage && current.pathname === next.pathname) && isHeld() && !confirm(question()),
    enableBeforeUnload: isHeld,
  });
  useEffect(() => noteGuard(isHeld), [isHeld]);
}
