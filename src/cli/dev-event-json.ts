import type { DevEvent } from '#flows/dev/dev-event';
import { errorJson } from './render-error.ts';
import type { Terminal } from './terminal.ts';

/** A `dev` event as a line of JSON. What user code prints goes to stderr, so that stdout holds events only. */
export function devEventJson(event: DevEvent, terminal: Pick<Terminal, 'json'>): void {
  if (event.event === 'output') process.stderr.write(event.text);
  else if ('error' in event) terminal.json({ ...event, ...errorJson(event.error) });
  else terminal.json(event);
}
