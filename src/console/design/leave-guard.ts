import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLeaving } from '../wire/session.ts';
import { noteGuard } from './unsaved.ts';
import { useStable } from './use-stable.ts';

interface LeaveOptions {
  /** Whether what is not saved stays while only the search of the address changes. */
  readonly isOfPage?: boolean;
  /** Whether it is in a dialog. The page goes nowhere behind that but by the buttons of the browser, and when the dialog is done. */
  readonly isInDialog?: boolean;
  /** Hears that somebody leaves without saving. */
  readonly onLeave?: () => void;
}

/** Asks before the screen is left with something that is not saved. `isUnsaved` is asked at that moment. */
export function useLeaveGuard(
  isUnsaved: () => boolean,
  question: () => string,
  { isOfPage = false, isInDialog = false, onLeave }: LeaveOptions = {},
): void {
  const isHeld = useStable(() => !isLeaving() && isUnsaved());
  useBlocker({
    shouldBlockFn: ({ current, next, action }) => {
      if (isOfPage && current.pathname === next.pathname) return false;
      if (isInDialog && (action === 'PUSH' || action === 'REPLACE')) return false;
      if (!isHeld()) return false;
      if (!confirm(question())) return true;
      onLeave?.();
      return false;
    },
    enableBeforeUnload: isHeld,
  });
  useEffect(() => noteGuard(isHeld), [isHeld]);
}
