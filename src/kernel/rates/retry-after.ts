/**
 * How many seconds the header `Retry-After` asks to wait, which it says as a number or as a date; `undefined` for anything else.
 *
 * @param now milliseconds since the epoch.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,6}$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
