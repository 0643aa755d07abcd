import { zone } from '../wire/agent.ts';
import { instantText } from './zone-time.ts';

/** A time in the zone of the reader, to the second. */
export function timeText(at: string, place = zone()): string {
  return instantText(at.replace(/\.\d+Z$/, 'Z'), place);
}
