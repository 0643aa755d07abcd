import { instantText } from '../values/zone-time.ts';
import { zone } from '../wire/agent.ts';

/** A time in the zone of the reader, to the second. */
export function timeText(at: string): string {
  return instantText(at.replace(/\.\d+Z$/, 'Z'), zone());
}
