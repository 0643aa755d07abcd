import type { SeededRandom } from './seeded-random.ts';

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

export function dateOnly(timeMs: number): string {
  return timestamp(timeMs).slice(0, 10);
}

/** A moment between two, both as milliseconds since the epoch, on a whole second. */
export function momentBetween(random: SeededRandom, fromMs: number, toMs: number): number {
  return fromMs + Math.floor((random.fraction() * (toMs - fromMs)) / 1000) * 1000;
}

/** Moments that date arithmetic gets wrong first: leap day, both ends of summer time, the last millisecond of a year. */
export const awkwardMoments = [
  Date.UTC(2024, 1, 29, 12, 0, 0),
  Date.UTC(2024, 1, 29, 23, 59, 59, 999),
  Date.UTC(2024, 2, 31, 1, 0, 0),
  Date.UTC(2024, 2, 31, 0, 59, 59),
  Date.UTC(2024, 9, 27, 0, 30, 0),
  Date.UTC(2024, 9, 27, 1, 30, 0),
  Date.UTC(2024, 2, 10, 10, 0, 0),
  Date.UTC(2024, 10, 3, 9, 30, 0),
  Date.UTC(2023, 11, 31, 23, 59, 59, 999),
  Date.UTC(2024, 0, 1, 0, 0, 0),
  Date.UTC(2024, 11, 30, 0, 0, 0),
] as const;
