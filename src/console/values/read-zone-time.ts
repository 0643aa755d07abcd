import { offsetMsAt, textOfOffset } from './zone-time.ts';

const dayMs = 86_400_000;
const offsetText = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/;

/** The offsets at which a zone shows a time: none, one, or two where clocks are set back over it. The earlier time comes first. */
export function offsetsOf(clock: string, zone: string): readonly string[] {
  const local = msOfClock(clock);
  if (local === undefined) return [];
  const candidates = new Set([local - dayMs, local + dayMs].map((near) => offsetMsAt(near, zone)));
  return [...candidates].filter((offset) => offsetMsAt(local - offset, zone) === offset).map(textOfOffset);
}

/** The instant at which clocks of an offset show a time; `undefined` for a time that the calendar does not have. */
export function instantAt(clock: string, offset: string): string | undefined {
  const local = msOfClock(clock);
  const ahead = msOfOffset(offset);
  return local === undefined || ahead === undefined ? undefined : new Date(local - ahead).toISOString();
}

/**
 * When a day begins in a zone; `undefined` for a day that the calendar does not have. Where clocks are set forward over midnight, it
 * begins at that moment: it is midnight by the clocks of before.
 */
export function midnightOf(day: string, zone: string): string | undefined {
  const clock = `${day} 00:00:00`;
  const local = msOfClock(clock);
  if (local === undefined) return undefined;
  const [offset = textOfOffset(offsetMsAt(local - dayMs, zone))] = offsetsOf(clock, zone);
  return instantAt(clock, offset);
}

/** How many days a month has, without a `Date`: a day belongs to no zone. */
export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function msOfClock(clock: string): number | undefined {
  const text = clock.replace(' ', 'T');
  const time = new Date(`${text}Z`).getTime();
  // Engines take 30 February for 2 March.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? undefined : time;
}

function msOfOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const match = offsetText.exec(text);
  if (!match) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = match;
  return (sign === '-' ? -1_000 : 1_000) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}
