import { type ClipboardEvent, useSyncExternalStore } from 'react';
import { usePreferences } from '../model/preferences.ts';
import { zone } from '../wire/agent.ts';
import { recentText } from './time-text.ts';
import { instantText } from './zone-time.ts';

/** A time, short: how long ago it was, or its date. Pointing at it tells it to the last digit, and whoever copies it gets that. */
export function Time({ at }: { readonly at: string }) {
  useMinutes();
  // The person may choose another zone.
  usePreferences();
  const exact = instantText(at, zone());
  const copy = (event: ClipboardEvent) => {
    const selected = getSelection();
    // A selection that goes on beyond the time is copied as it is seen.
    if (!selected || selected.rangeCount === 0) return;
    if (!event.currentTarget.contains(selected.getRangeAt(0).commonAncestorContainer)) return;
    event.clipboardData.setData('text/plain', exact);
    event.preventDefault();
  };
  return (
    <time dateTime={at} title={exact} onCopy={copy}>
      {recentText(at, Date.now())}
    </time>
  );
}

const tickMs = 30_000;
const listeners = new Set<() => void>();
let ticks = 0;
let clock: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  ticks += 1;
  for (const listener of listeners) listener();
}

/** Draws again while time passes. All times of the page share one clock. */
function useMinutes(): void {
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      clock ??= setInterval(tick, tickMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(clock);
        clock = undefined;
      };
    },
    () => ticks,
  );
}
