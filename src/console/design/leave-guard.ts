import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLeaving } from '../wire/session.ts';
import { useStable } from './use-stable.ts';

const guards = new Set<() => boolean>();

/** Asks before the screen is left with something that is not saved. `isUnsaved` is asked at that moment. */
export function useLeaveGuard(isUnsaved: () => boolean, question: () => string): void {
  const isHeld = useStable(() => !isLeaving() && isUnsaved());
  useBlocker({ shouldBlockFn: () => isHeld() && !confirm(question()), enableBeforeUnload: isHeld });
  useEffect(() => {
    guards.add(isHeld);
    return () => void guards.delete(isHeld);
  }, [isHeld]);
}

/** Whether the page holds something that is not saved. Who is about to leave it in another way than by a link asks. */
export function hasUnsaved(): boolean {
  return [...guards].some((guard) => guard());
}
