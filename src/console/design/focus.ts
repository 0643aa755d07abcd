import { useEffect, useRef } from 'react';

let screensShown = 0;

/** A screen is in the page with its title. */
export function noteScreen(): void {
  screensShown += 1;
}

/** Whether somebody has come from another screen, and what had the focus there is gone. On the first screen nothing had it. */
export function hasLostFocus(): boolean {
  return screensShown > 0 && document.activeElement === document.body;
}

/** The button that opened a form in its own place gets the focus when the form is gone, so that a key goes on from there. */
export function useFocusBack(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}

/** The first field of a form gets the focus when the form comes to the screen. */
export function useFirstField() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const fields = form.current?.querySelectorAll<HTMLElement>('input, textarea, select') ?? [];
    [...fields].find((field) => field.matches(':enabled') && field.checkVisibility())?.focus();
  }, []);
  return form;
}
