import type { IncomingHttpHeaders } from 'node:http';

/** The header that names the fields a client wants, as one text. */
export function projectionHeader(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['service-projection'];
  return Array.isArray(value) ? value.join(',') : value;
}
