import * as z from 'zod';

/**
 * What the platform announces on `GET /agent/v4/subscribe-to-events`, header `service-secret-key`, as server-sent events.
 * Each has a `data` line: clients drop an event without one.
 *
 * Events are numbered in each environment, without a gap. A client that names the last one it heard in the header `last-event-id`
 * is first sent those after it. A heartbeat carries the number of the event before it. A client that names itself in the
 * header `service-agent-id`, with a UUID, reports `eventAckSchema` to `POST /agent/v1/event-acks` once it has carried out an event.
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
  | { readonly name: 'refresh-orders' }
  /** The addresses have changed that may reach the data. */
  | { readonly name: 'refresh-ip-rules' }
  /** Sessions of people were ended: `#contracts/ended-sessions`. */
  | { readonly name: 'refresh-sessions' }
  /** The listener has missed more events than the platform keeps, so that anything may have changed. */
  | { readonly name: 'refresh-everything' };

/** Where agents listen. */
export const subscribePath = '/agent/v4/subscribe-to-events';

/** Milliseconds between two heartbeats. */
export const heartbeatMs = 30_000;

const plainNames = [
  'heartbeat',
  'refresh-users',
  'refresh-roles',
  'refresh-customizations',
  'refresh-orders',
  'refresh-ip-rules',
  'refresh-sessions',
  'refresh-everything',
] as const;

export const eventAckSchema = z.strictObject({
  /** As in `service-agent-id`. */
  agent: z.uuid(),
  /** Everything up to this event is carried out. */
  id: z.number().int().nonnegative(),
});

export type EventAck = z.infer<typeof eventAckSchema>;

const renderingsSchema = z.object({ renderingIds: z.array(z.coerce.number<number | string>().int()) });

/** What an event says; `undefined` for one of a kind that is not known. Renderings that cannot be read count as all. */
export function parsePlatformEvent(name: string | undefined, data: string): PlatformEvent | undefined {
  if (name === 'refresh-renderings') return { name, renderingIds: renderingIdsOf(data) };
  const plain = plainNames.find((known) => known === name);
  return plain && { name: plain };
}

/** An event as it is written to the stream. `id` is its number. */
export function formatPlatformEvent(event: PlatformEvent, id: number): string {
  const data = event.name === 'refresh-renderings' ? JSON.stringify({ renderingIds: event.renderingIds }) : '1';
  return `id: ${id}\nevent: ${event.name}\ndata: ${data}\n\n`;
}

function renderingIdsOf(data: string): readonly number[] | undefined {
  try {
    return renderingsSchema.parse(JSON.parse(data)).renderingIds;
  } catch {
    return undefined;
  }
}
