import { useEffect, useRef } from 'react';
import { preferences } from '../model/preferences.ts';

/** What a key does: `Ctrl k` for one with Ctrl, or Command on machines of Apple, and `g d` for two keys after each other. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** How long a `g` waits for the letter after it. */
const pauseMs = 1_000;

/**
 * Hear the keys of the whole page. A single letter presses the button, or enters the field, that has it as its `data-key`. Single letters
 * never work while somebody types, and can be turned off.
 */
export function useKeys(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    let lastG = 0;
    const hear = (event: KeyboardEvent) => {
      const act = actOf(event, newest.current, lastG);
      lastG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}

function actOf(event: KeyboardEvent, shortcuts: Shortcuts, lastG: number): (() => void) | undefined {
  const { key, ctrlKey, metaKey, altKey, timeStamp, target } = event;
  if (ctrlKey || metaKey) return shortcuts[`Ctrl ${key}`];
  if (altKey || !preferences().singleKeys || isTyping(target)) return undefined;
  const second = timeStamp - lastG < pauseMs ? shortcuts[`g ${key}`] : undefined;
  return second ?? pressed(key);
}

/** What has the key as its own. Behind an open dialog nothing is pressed. */
function pressed(key: string): (() => void) | undefined {
  if (document.querySelector('dialog[open]')) return undefined;
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (!target) return undefined;
  return () => (target.matches('input') ? target.focus() : target.click());
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.matches('input:not([type=checkbox]), textarea, select, [contenteditable="true"]')
  );
}
