import { zone } from '../wire/agent.ts';

/** A time within this is said as how long ago it was. */
const agoMs = 24 * 3_600_000;
/** Clocks of servers may be ahead of that of the machine. */
const aheadMs = 5_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

/** How the person writes times in the language of the console: `en-GB` for one whose browser says so. */
function ownLocale(): string {
  const [language = 'en'] = (globalThis.document?.documentElement.lang || 'en').split('-');
  return navigator.languages.find((each) => each.split('-', 1)[0] === language) ?? language;
}

/** The date and the time in the zone of the reader, as they write them: `29 Nov 2026, 14:02:31`. Another text is shown as it is. */
export function timeText(at: string, place = zone(), locale = ownLocale()): string {
  const instant = new Date(at).getTime();
  return Number.isNaN(instant) ? at : formatIn(locale, place).format(instant);
}

/** How long ago a time of the last day was: `5 minutes ago`. An earlier time, and one to come, has its date. */
export function recentText(at: string, now: number, place = zone(), locale = ownLocale()): string {
  const past = now - new Date(at).getTime();
  // A text that is not a time compares with nothing.
  if (!(past > -aheadMs && past < agoMs)) return timeText(at, place, locale);
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (past < minuteMs) return words.format(0, 'second');
  if (past < hourMs) return words.format(-Math.floor(past / minuteMs), 'minute');
  return words.format(-Math.floor(past / hourMs), 'hour');
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(locale: string, timeZone: string): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone}`;
  const format =
    formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
  formats.set(key, format);
  return format;
}
