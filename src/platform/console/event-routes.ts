import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type ConsoleEvent, consoleEventsQuerySchema, type DevLog } from '#contracts/console-events';
import { roleIdsOf } from '#contracts/permissions';
import { heartbeatMs, type PlatformEvent } from '#contracts/platform-events';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { authorise, deedsOf } from '../access/authorise.ts';
import { environmentNamed, type Guards } from '../access/guards.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { PageNewsHub } from '../events/page-news.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { PermissionService } from '../permissions/permission-service.ts';
import { parseInput } from '../server/parse-input.ts';

/** What a development session says while it runs. */
export interface DevEvents {
  /** Tells what holds now, and then what happens. Returns what ends that. */
  subscribe(listener: (event: Readonly<Record<string, unknown>>) => void): () => void;
  /** The newest lines of the log of the agent. */
  log(): DevLog['lines'];
}

export interface ConsoleEventServices {
  readonly events: EventHub;
  readonly news: Pick<PageNewsHub, 'subscribe'>;
  readonly identity: IdentityRepository;
  readonly permissions: Pick<PermissionService, 'environment' | 'users'>;
  /** Absent where nobody develops. */
  readonly devEvents?: DevEvents | undefined;
}

/** The pages of one browser share a connection: these are as many browsers. */
const connectionsOfPerson = 10;
/** A page that has not read so much is gone, or as good as. */
const maxUnreadBytes = 64 * 1024;
const streamHeaders = { 'content-type': 'text/event-stream', connection: 'close', 'x-accel-buffering': 'no' };
const headersSchema = z.object({ 'last-event-id': z.coerce.number().int().nonnegative().optional() });

/** The stream that a page listens to: `#contracts/console-events`. It ends with the session, and when the platform stops. */
export function registerConsoleEvents(server: FastifyInstance, guards: Guards, services: ConsoleEventServices): void {
  const { events, news, identity, permissions, devEvents } = services;
  const open = new Map<number, Set<() => void>>();
  server.addHook('preClose', async () => {
    for (const ends of open.values()) for (const end of [...ends]) end();
  });

  server.get('/api/dev/log', { onRequest: guards.user.check }, async (request): Promise<DevLog> => {
    authorise(guards.user.of(request), 'read logs');
    return { lines: devEvents?.log() ?? [] };
  });

  // HEAD would open a stream as well, which nobody reads.
  const options = { onRequest: guards.user.check, exposeHeadRoute: false };
  server.get('/api/events', options, async (request, reply) => {
    const { user, environment: usual } = guards.user.of(request);
    const { environment: name } = parseInput(consoleEventsQuerySchema, request.query);
    const environment = name === undefined ? usual : await environmentNamed(identity, usual, name);
    const { 'last-event-id': last } = parseInput(headersSchema, request.headers);
    const after = last ?? (await events.newest(environment.id));
    const ends = open.get(user.id) ?? new Set();
    if (ends.size >= connectionsOfPerson) throw tooMany();
    open.set(user.id, ends);

    const stream = new Readable({ read: () => undefined });
    const write = (text: string) => {
      if (stream.destroyed) return;
      stream.push(text);
      if (stream.readableLength > maxUnreadBytes) stream.destroy();
    };
    const send = (event: ConsoleEvent, id?: number) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`);
    const endUnlessSignedIn = () => void isSignedIn(guards, request, reply).then((isIn) => isIn || end());
    const beat = setInterval(() => {
      write(':\n\n');
      endUnlessSignedIn();
    }, heartbeatMs);
    const leave = () => {
      if (!ends.delete(end)) return;
      if (ends.size === 0 && open.get(user.id) === ends) open.delete(user.id);
      clearInterval(beat);
      for (const each of unsubscribe) each();
    };
    const end = () => {
      leave();
      stream.push(null);
    };
    ends.add(end);
    stream.once('close', leave);
    // A proxy passes the head on with the first byte.
    write(`id: ${after}\n:\n\n`);
    const deeds = deedsOf(user);
    const mayDevelop = deeds.includes('read logs');
    const mayReadLog = deeds.includes('use the public API');
    const browsing = browsableBy(user.id, environment, permissions);
    const unsubscribe = [
      events.subscribe(environment.id, after, {
        send: (event, sequence) => {
          for (const told of toldOf(event)) send(told, sequence);
          browsing.forget();
          if (endingEvents.has(event.name)) endUnlessSignedIn();
        },
        end,
      }),
      news.subscribe(environment.id, (told) => {
        if (told.type === 'approval') send(told);
        else if (told.type === 'log') {
          if (mayReadLog) send(told);
        } else void browsing.includes(told.collection).then((isIncluded) => isIncluded && send(told), end);
      }),
      ...(devEvents && mayDevelop ? [devEvents.subscribe((event) => send({ type: 'dev', event }))] : []),
    ];
    return reply.headers(streamHeaders).send(stream);
  });
}

interface Browsable {
  includes(collection: string): Promise<boolean>;
  /** Rights or collections may have changed. */
  forget(): void;
}

/** The collections that somebody may browse, looked up when it is asked for. */
function browsableBy(
  userId: number,
  environment: EnvironmentRecord,
  permissions: ConsoleEventServices['permissions'],
): Browsable {
  type Includes = (collection: string) => boolean;
  let known: Promise<Includes> | undefined;
  const lookUp = async (): Promise<Includes> => {
    const [document, users] = await Promise.all([permissions.environment(environment), permissions.users(environment)]);
    if (document === true) return () => true;
    const user = users.find(({ id }) => id === userId);
    const roleIds = user ? roleIdsOf(user) : [];
    return (collection) => {
      const rights = Object.hasOwn(document.collections, collection) ? document.collections[collection] : undefined;
      const right = rights?.collection.browseEnabled ?? false;
      return typeof right === 'boolean' ? right : roleIds.some((roleId) => right.roles.includes(roleId));
    };
  };
  return {
    includes: async (collection) => {
      known ??= lookUp();
      return (await known)(collection);
    },
    forget: () => {
      known = undefined;
    },
  };
}

/** After them, somebody may not be signed in any more. */
const endingEvents: ReadonlySet<PlatformEvent['name']> = new Set([
  'refresh-users',
  'refresh-sessions',
  'refresh-everything',
]);

async function isSignedIn(guards: Guards, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  try {
    await guards.user.check(request, reply);
    return true;
  } catch {
    // Whatever the reason is, the page asks again, and reads it then.
    return false;
  }
}

/** What a page learns about an event of the environment. */
function toldOf({ name }: PlatformEvent): readonly ConsoleEvent[] {
  switch (name) {
    case 'heartbeat':
      return [];
    case 'refresh-users':
    case 'refresh-roles':
    case 'refresh-sessions':
    case 'refresh-ip-rules':
      return [{ type: 'rights' }];
    case 'refresh-renderings':
    case 'refresh-customizations':
      return [{ type: 'schema' }];
    case 'refresh-orders':
      return [{ type: 'deployment' }];
    case 'refresh-everything':
      return [{ type: 'rights' }, { type: 'schema' }, { type: 'deployment' }];
  }
}

function tooMany(): CloudError {
  return cloudError(
    'REQUEST_RATE_LIMITED',
    `You listen to ${connectionsOfPerson} streams already.`,
    'Close pages of the console in other browsers.',
  );
}
