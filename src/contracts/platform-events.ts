import { z } from 'zod';

/**
 * What the platform announces on `GET /agent/v4/subscribe-to-events`, header `service-secret-key`, as server-sent events.
 * Each has a `data` line: clients drop an event without one.
 */
export type PlatformEvent =
  /** Sent at once, and then every `heartbeatMs`, so that a silent connection is known to be a dead one. */
  | { readonly name: 'heartbeat' }
  | { readonly name: 'refresh-users' }
  | { readonly name: 'refresh-roles' }
  /** `undefined` when it is not known which. */
  | { readonly name: 'refresh-renderings'; readonly renderingIds: readonly number[] | undefined }
  | { readonly name: 'refresh-customizations' }
  /** Hosts have new orders. */
  | { readonly name: 'refresh-orders' };

/** Where agents listen. */
export const subscribePath = '/agent/v4/subscribe-to-events';

/** Milliseconds between two heartbeats. */
export const heartbeatMs = 30_000;

const plainNames = ['heartbeat', 'refresh-users', 'refresh-roles', 'refresh-customizations', 'refresh-orders'] as const;
const renderingsSchema = z.object({ renderingIds: z.array(z.coerce.number<number | string>().int()) });

/** What an event says; `undefined` for one of a kind that is not known. Renderings that cannot be read count as all. */
export function parsePlatformEvent(name: string | undefined, data: string): PlatformEvent | undefined {
  if (name === 'refresh-renderings') return { name, renderingIds: renderingIdsOf(data) };
  const plain = plainNames.find((known) => known === name);
  return plain && { name: plain };
}

/** An event as it is written to the stream. */
export function formatPlatformEvent(event: PlatformEvent): string {
  const data = event.name === 'refresh-renderings' ? JSON.stringify({ renderingIds: event.renderingIds }) : '1';
  return `event: ${event.name}\ndata: ${data}\n\n`;
}

function renderingIdsOf(data: string): readonly number[] | undefined {
  try {
    return renderingsSchema.parse(JSON.parse(data)).renderingIds;
  } catch {
    return undefined;
  }
}
