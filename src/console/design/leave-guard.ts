import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLeaving } from '../wire/session.ts';
import { noteGuard } from './unsaved.ts';
import { useStable } from './use-stable.ts';

/** Asks before the screen is left with something that is not saved. `isUnsaved` is asked at that moment. */
export function useLeaveGuard(isUnsaved: () => boolean, question: () => string): void {
  const isHeld = useStable(() => !isLeaving() && isUnsaved());
  useBlocker({ shouldBlockFn: () => isHeld() && !confirm(question()), enableBeforeUnload: isHeld });
  useEffect(() => noteGuard(isHeld), [isHeld]);
}
