import { invalidRequest } from '#kernel/errors/request-errors';

/** By their names in small letters: anybody can write one in thousands of ways, and what formats dates is kept by name. */
const known = new Map<string, string>();

/** The IANA time zone of a request, in its usual spelling. Throws `REQUEST_INVALID` unless the runtime knows it. */
export function parseTimezone(text: string | undefined): string {
  if (!text) {
    throw invalidRequest(
      'The parameter "timezone" is missing.',
      'Add an IANA time zone, such as timezone=Europe/Paris.',
    );
  }
  const key = text.toLowerCase();
  const name = known.get(key) ?? timezoneNamed(text);
  if (name === undefined) {
    throw invalidRequest(`"${text}" is not a time zone.`, 'Use an IANA time zone, such as Europe/Paris.');
  }
  known.set(key, name);
  return name;
}

function timezoneNamed(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    // A zone may have been renamed; what was asked for stays.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}
