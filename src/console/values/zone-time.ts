/**
 * Times in a zone, by the calendar of `Intl`. An offset has seconds where the zone kept the time of the sun, before 1900 or so.
 */

/** `2026-03-29 01:30:00+01:00`: an instant in a zone, with the offset that held then. Another text is shown as it is. */
export function instantText(value: string, zone: string): string {
  const instant = new Date(value).getTime();
  if (Number.isNaN(instant)) return value;
  const offset = offsetMsAt(instant, zone);
  return `${clockOf(instant + offset)}${textOfOffset(offset)}`;
}

/** How far a zone is ahead of UTC at an instant, in milliseconds. */
export function offsetMsAt(instant: number, zone: string): number {
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

/** `+01:00`. */
export function textOfOffset(offset: number): string {
  const seconds = Math.abs(offset) / 1_000;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`;
  return `${offset < 0 ? '-' : '+'}${two(seconds / 3_600)}:${two((seconds / 60) % 60)}${rest}`;
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
