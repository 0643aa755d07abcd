import { daysIn, instantAt, offsetsOf } from './read-zone-time.ts';
import { instantText } from './zone-time.ts';

export type DateKind = 'Date' | 'Dateonly' | 'Time';

/** A part of a date or a time that somebody types by itself. */
export type SegmentName = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction';

/** What the parts hold: digits, or nothing yet. The offset is `''` where it is not known. */
export type Segments = Readonly<Record<SegmentName | 'offset', string>>;

const empty: Segments = { year: '', month: '', day: '', hour: '', minute: '', second: '', fraction: '', offset: '' };
const ofDay: readonly SegmentName[] = ['year', 'month', 'day'];
const ofTime: readonly SegmentName[] = ['hour', 'minute', 'second'];

const patterns: Readonly<Record<DateKind, RegExp>> = {
  Dateonly: /^(?<year>\d{0,4})-(?<month>\d{0,2})-(?<day>\d{0,2})$/,
  Time: /^(?<hour>\d{0,2}):(?<minute>\d{0,2})(?::(?<second>\d{0,2})(?:\.(?<fraction>\d*))?)?$/,
  Date: /^(?<year>\d{0,4})-(?<month>\d{0,2})-(?<day>\d{0,2})[ T](?<hour>\d{0,2}):(?<minute>\d{0,2})(?::(?<second>\d{0,2})(?:\.(?<fraction>\d{0,3}))?)?\s*(?<offset>Z|[+-]\d\d:?\d\d(?::?\d\d)?)?$/,
};

/** The parts that a text shows, in the order they stand in. A fraction is shown where there is one. */
export function segmentNames(kind: DateKind, { fraction }: Segments): readonly SegmentName[] {
  const time = fraction === '' ? ofTime : [...ofTime, 'fraction' as const];
  if (kind === 'Dateonly') return ofDay;
  return kind === 'Time' ? time : [...ofDay, ...time];
}

/** The parts of a text, complete or not; `undefined` for one that is not a date. An instant is read in the zone, whatever offset it came with. */
export function segmentsOf(text: string, kind: DateKind, zone: string): Segments | undefined {
  if (text === '') return empty;
  const groups = patterns[kind].exec(text.trim())?.groups;
  if (!groups) return undefined;
  const read = {
    ...empty,
    ...Object.fromEntries(Object.entries(groups).map(([name, digits]) => [name, digits ?? ''])),
  };
  const seconded =
    kind !== 'Dateonly' && read.second === '' && read.minute.length === 2 ? { ...read, second: '00' } : read;
  if (seconded.offset === '' || offsetsOf(clockOf(seconded), zone).includes(seconded.offset)) return seconded;
  const instant = instantAt(clockOf(seconded), seconded.offset);
  return instant === undefined ? undefined : segmentsOf(instantText(instant, zone), kind, zone);
}

/** The text of parts, which `readTyped` reads. An offset is in it where the zone has one for that time, or where somebody chose it. */
export function textOfSegments(segments: Segments, kind: DateKind, zone: string): string {
  if (segmentNames(kind, segments).every((name) => segments[name] === '')) return '';
  if (kind === 'Dateonly') return dayOf(segments);
  if (kind === 'Time') return timeOf(segments);
  const clock = clockOf(segments);
  const fits = offsetsOf(clock, zone);
  const [only] =
    fits.length === 1 || fits.includes(segments.offset) ? [fits.find((one) => one === segments.offset) ?? fits[0]] : [];
  return `${clock}${only ?? ''}`;
}

/** How a zone shows the time that stands there: at no offset, at one, or at two; `undefined` while it is not complete. */
export function offsetsOfSegments(segments: Segments, zone: string): readonly string[] | undefined {
  const clock = clockOf(segments);
  return instantAt(clock, 'Z') === undefined ? undefined : offsetsOf(clock, zone);
}

/** The largest and smallest number of a part. The days are those of the month. */
export function boundsOf(name: SegmentName, { year, month }: Segments): readonly [min: number, max: number] {
  switch (name) {
    case 'year':
      return [1, 9_999];
    case 'month':
      return [1, 12];
    case 'day':
      return [1, daysIn(Number(year || 4), Number(month || 1))];
    case 'hour':
      return [0, 23];
    case 'fraction':
      return [0, 999_999_999];
    default:
      return [0, 59];
  }
}

/** A part one further up or down. Beyond its end it begins again. An empty part begins at the end that one comes from. */
export function stepped(segments: Segments, name: SegmentName, by: 1 | -1, first: Segments): Segments {
  if (name === 'fraction') return segments;
  const [min, max] = boundsOf(name, segments);
  const digits = segments[name] || first[name];
  const next = segments[name] === '' ? Number(digits) : Number(digits) + by;
  const inside = next > max ? min : next < min ? max : next;
  return { ...segments, [name]: padded(name, String(inside)) };
}

/** What a part holds once somebody has typed into it, and whether no further digit can follow. */
export function typedInto(
  segments: Segments,
  name: SegmentName,
  text: string,
  kind: DateKind,
): { segments: Segments; isFull: boolean } {
  const digits = text.replaceAll(/\D/g, '').slice(0, lengthOf(name, kind));
  const [, max] = boundsOf(name, segments);
  const isFull =
    name !== 'fraction' && (digits.length === lengthOf(name, kind) || (digits !== '' && Number(digits) * 10 > max));
  return { segments: { ...segments, [name]: isFull ? padded(name, digits) : digits }, isFull };
}

/** A part that somebody leaves: `4` becomes `04`. */
export function padded(name: SegmentName, digits: string): string {
  return digits === '' || name === 'fraction' ? digits : digits.padStart(name === 'year' ? 4 : 2, '0');
}

/** An instant has milliseconds, as agents write it. */
export function lengthOf(name: SegmentName, kind: DateKind): number {
  if (name === 'year') return 4;
  if (name !== 'fraction') return 2;
  return kind === 'Date' ? 3 : 9;
}

function clockOf(segments: Segments): string {
  return `${dayOf(segments)} ${timeOf(segments)}`;
}

function dayOf({ year, month, day }: Segments): string {
  return `${year}-${month}-${day}`;
}

function timeOf({ hour, minute, second, fraction }: Segments): string {
  return `${hour}:${minute}:${second}${fraction === '' ? '' : `.${fraction}`}`;
}
