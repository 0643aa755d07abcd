/**
 * Times in a zone, by the calendar of `Intl`. An offset has seconds where the zone kept the time of the sun, before 1900 or so.
 */

const dayMs = 86_400_000;
const offsetText = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/;

/** `2026-03-29 01:30:00+01:00`: an instant in a zone, with the offset that held then. Another text is shown as it is. */
export function instantText(value: string, zone: string): string {
  const instant = new Date(value).getTime();
  if (Number.isNaN(instant)) return value;
  const offset = offsetMsAt(instant, zone);
  return `${clockOf(instant + offset)}${textOfOffset(offset)}`;
}

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

/** When a day begins in a zone; `undefined` where the clocks are set forward over its midnight. */
export function midnightOf(day: string, zone: string): string | undefined {
  const [offset] = offsetsOf(`${day} 00:00:00`, zone);
  return offset === undefined ? undefined : instantAt(`${day} 00:00:00`, offset);
}

/** How many days a month has, without a `Date`: a day belongs to no zone. */
export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function offsetMsAt(instant: number, zone: string): number {
  const parts = new Map(
    formatIn(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const number = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  const local = new Date(0);
  local.setUTCFullYear(year, number('month') - 1, number('day'));
  local.setUTCHours(number('hour'), number('minute'), number('second'));
  return local.getTime() - Math.floor(instant / 1_000) * 1_000;
}

/** `2026-03-29 01:30:00`, with milliseconds where there are some. */
function clockOf(local: number): string {
  return new Date(local)
    .toISOString()
    .replace('T', ' ')
    .replace('Z', '')
    .replace(/\.000$/, '');
}

function msOfClock(clock: string): number | undefined {
  const text = clock.replace(' ', 'T');
  const time = new Date(`${text}Z`).getTime();
  // Engines take 30 February for 2 March.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? undefined : time;
}

function textOfOffset(offset: number): string {
  const seconds = Math.abs(offset) / 1_000;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`;
  return `${offset < 0 ? '-' : '+'}${two(seconds / 3_600)}:${two((seconds / 60) % 60)}${rest}`;
}

function msOfOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const match = offsetText.exec(text);
  if (!match) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = match;
  return (sign === '-' ? -1_000 : 1_000) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}
