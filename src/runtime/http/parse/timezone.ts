import { invalidRequest } from '../request-errors.ts';

const known = new Set<string>();

/** The IANA time zone of a request. Throws `REQUEST_INVALID` unless the runtime knows it. */
export function parseTimezone(text: string | undefined): string {
  if (!text) {
    throw invalidRequest(
      'The parameter "timezone" is missing.',
      'Add an IANA time zone, such as timezone=Europe/Paris.',
    );
  }
  if (!isTimezone(text)) {
    throw invalidRequest(`"${text}" is not a time zone.`, 'Use an IANA time zone, such as Europe/Paris.');
  }
  return text;
}

function isTimezone(text: string): boolean {
  if (known.has(text)) return true;
  const isKnown = canFormatIn(text);
  // Only names that exist are kept: there are a few hundred, while anybody can send anything.
  if (isKnown) known.add(text);
  return isKnown;
}

function canFormatIn(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
