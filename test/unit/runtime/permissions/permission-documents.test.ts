import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { refreshByEvents } from '#runtime/permissions/refresh-by-events';
import { unrestrictedPrograms } from '../../../helpers/role-platform.ts';
import { permissions, renderingWith, setUp, user } from './permission-fixtures.ts';

/** Documents that were all fetched once, a listener for their events, and what it logged. */
async function fetched() {
  const { documents, calls, advance } = setUp();
  const log: string[] = [];
  const lists: string[] = [];
  const keptList = (name: string) => ({
    forget: () => void lists.push(`forget ${name}`),
    drop: () => void lists.push(`drop ${name}`),
  });
  const listener = refreshByEvents(
    documents,
    { log: (level, message) => log.push(`${level} ${message}`) },
    { onCustomizations: () => undefined, ipRules: keptList('rules'), endedSessions: keptList('sessions') },
  );
  const read = async () => {
    await documents.trusted.environment();
    await documents.trusted.users();
    await documents.trusted.rendering(3);
    await documents.trusted.rendering(4);
    return { ...calls };
  };
  await read();
  return { listener, read, advance, log, lists };
}

const lost = cloudError('PLATFORM_FAILED', 'It is gone.', 'Wait.');
const once = { environment: 1, users: 1, rendering: 2 };
const halfAnHourMs = 30 * 60_000;

describe('documents of permissions', () => {
  it('are fetched again when they are too old and changes are not announced', async () => {
    const { read, advance } = await fetched();
    advance(15 * 60_000);
    expect(await read()).toEqual(once);
    advance(1);
    expect(await read()).toEqual({ environment: 2, users: 2, rendering: 4 });
  });

  it('are all fetched again when changes begin to be announced, and then never for their age', async () => {
    const { listener, read, advance } = await fetched();
    listener.connected();
    const twice = { environment: 2, users: 2, rendering: 4 };
    expect(await read()).toEqual(twice);
    advance(halfAnHourMs);
    expect(await read()).toEqual(twice);
  });

  it('are kept when the platform tells what was missed, and forgotten when it cannot', async () => {
    const { listener, read } = await fetched();
    listener.connected();
    const twice = await read();
    listener.disconnected(lost);
    listener.resumed();
    expect(await read()).toEqual(twice);
    listener.received({ name: 'refresh-everything' });
    expect(await read()).toEqual({ environment: 3, users: 3, rendering: 6 });
  });

  it('age again when the announcements break off, and are fetched again when they come back', async () => {
    const { listener, read, advance, log } = await fetched();
    listener.connected();
    await read();
    listener.disconnected(lost);
    listener.disconnected(lost);
    expect(await read()).toEqual({ environment: 2, users: 2, rendering: 4 });
    advance(halfAnHourMs);
    expect(await read()).toEqual({ environment: 3, users: 3, rendering: 6 });
    listener.connected();
    expect(await read()).toEqual({ environment: 4, users: 4, rendering: 8 });
    expect(log.map((line) => line.split(' ', 1)[0])).toEqual(['Warn', 'Info']);
  });

  it.each([
    [{ name: 'refresh-roles' } as const, { ...once, environment: 2 }],
    [{ name: 'refresh-users' } as const, { ...once, users: 2 }],
    [{ name: 'refresh-renderings', renderingIds: [4, 99] } as const, { ...once, rendering: 3 }],
    [{ name: 'refresh-renderings', renderingIds: undefined } as const, { ...once, rendering: 4 }],
    [{ name: 'refresh-customizations' } as const, once],
    [{ name: 'heartbeat' } as const, once],
  ])('are fetched again when they have changed: %j', async (event, expected) => {
    const { listener, read } = await fetched();
    listener.received(event);
    expect(await read()).toEqual(expected);
  });

  it('leave address rules and ended sessions to their lists, which know what an outage may still use', async () => {
    const { listener, lists } = await fetched();
    listener.received({ name: 'refresh-ip-rules' });
    listener.received({ name: 'refresh-sessions' });
    expect(lists.splice(0)).toEqual(['drop rules', 'drop sessions']);
    listener.connected();
    listener.received({ name: 'refresh-everything' });
    expect(lists).toEqual(['forget rules', 'forget sessions', 'forget rules', 'forget sessions']);
  });

  it('are not overtaken by an answer to a question asked before they changed', async () => {
    const { documents, answers } = asking();
    const before = documents.trusted.environment();
    documents.forget('environment');
    const after = documents.trusted.environment();
    answers[1]?.(changed);
    expect(await after).toBe(changed);
    answers[0]?.(permissions);
    expect(await before).toBe(changed);
    expect(await documents.trusted.environment()).toBe(changed);
  });

  it('are asked for again when they change before the answer, for whoever waits for it', async () => {
    const { documents, answers } = asking();
    const waiting = [documents.trusted.environment(), documents.trusted.environment()];
    documents.forget('environment');
    answers[0]?.(permissions);
    await expect.poll(() => answers).toHaveLength(2);
    answers[1]?.(changed);
    expect(await Promise.all(waiting)).toEqual([changed, changed]);
    expect(await documents.trusted.environment()).toBe(changed);
  });
});

const changed = { collections: {} };

/** Documents of a platform that answers about the environment if it is asked to. */
function asking() {
  const answers: ((value: typeof permissions) => void)[] = [];
  const documents = createPermissionDocuments(
    {
      environmentPermissions: () => new Promise((resolve) => answers.push(resolve)),
      users: async () => [user],
      renderingPermissions: async () => renderingWith(null),
      clientPermissions: unrestrictedPrograms,
    },
    { now: () => 0, monotonicMs: () => 0 },
  );
  return { documents, answers };
}
