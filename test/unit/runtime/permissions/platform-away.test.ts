import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { silentLogger } from '#kernel/ports/logger';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createAuthoriser } from '#runtime/permissions/create-authoriser';
import { createLastKnownPermissions } from '#runtime/permissions/last-known-permissions';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { createOutage } from '#runtime/permissions/platform-outage';
import { refreshByEvents } from '#runtime/permissions/refresh-by-events';
import { unrestrictedPrograms } from '../../../helpers/role-platform.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { caller, permissions, renderingWith, user } from './permission-fixtures.ts';

type Failure =
  | 'PLATFORM_UNREACHABLE'
  | 'PLATFORM_TIMEOUT'
  | 'PLATFORM_FAILED'
  | 'PLATFORM_BUSY'
  | 'PLATFORM_UNAUTHENTICATED'
  | 'PLATFORM_REFUSED';

const failing =
  (code: Failure, status = 503) =>
  async () => {
    throw cloudError(code, 'No.', 'Wait.', { safeDetails: { status } });
  };
const never = () => new Promise<never>(() => undefined);

const unused = { forget: () => undefined, drop: () => undefined };

/** An agent on a platform that answers as `platform.answer` says, if it says anything. */
function startAgent(folder: string) {
  const log: string[] = [];
  const calls = { environment: 0 };
  const platform: { answer: (() => Promise<never>) | undefined; rights: typeof permissions } = {
    answer: undefined,
    rights: permissions,
  };
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonicMs: () => nowMs };
  const lastKnown = createLastKnownPermissions({
    fs: nodeFileSystem,
    clock,
    folder,
    envSecret: 'a'.repeat(64),
    serverUrl: 'https://platform.example',
    onUnwritable: () => undefined,
  });
  const outage = createOutage(clock, { log: (level) => log.push(level) });
  const documents = createPermissionDocuments(
    {
      environmentPermissions: async () => {
        calls.environment++;
        return platform.answer ? platform.answer() : platform.rights;
      },
      users: async () => (platform.answer ? platform.answer() : [user]),
      renderingPermissions: async () => (platform.answer ? platform.answer() : renderingWith(null)),
      clientPermissions: unrestrictedPrograms,
    },
    clock,
    { standIn: { lastKnown, outage } },
  );
  const advance = (ms: number) => {
    nowMs += ms;
  };
  const authoriser = createAuthoriser(documents);
  const browse = () => authoriser.require(caller, 'orders', 'browse');
  const { received: announce } = refreshByEvents(documents, silentLogger, {
    onCustomizations: () => undefined,
    ipRules: unused,
    endedSessions: unused,
  });
  return { authoriser, browse, documents, announce, platform, log, calls, advance, stop: () => lastKnown.flush() };
}

/** A folder where an agent has kept what it was told. */
async function usedFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const agent = startAgent(folder);
  await agent.browse();
  await agent.authoriser.scopeOf(caller, 'orders', 'browse');
  await agent.stop();
  return folder;
}

const hourMs = 60 * 60_000;

describe('an agent whose platform is away', () => {
  it.each(['PLATFORM_UNREACHABLE', 'PLATFORM_TIMEOUT', 'PLATFORM_BUSY', 'PLATFORM_FAILED'] as const)(
    'starts with the permissions that an earlier one kept: %s',
    async (code) => {
      const agent = startAgent(await usedFolder());
      agent.platform.answer = failing(code);
      await agent.browse();
      expect(await agent.authoriser.scopeOf(caller, 'orders', 'browse')).toBeUndefined();
      await expect(agent.authoriser.require(caller, 'orders', 'edit')).rejects.toMatchObject({
        code: 'REQUEST_FORBIDDEN',
      });
      expect(agent.log).toEqual(['Warn']);
    },
  );

  it('goes on with the permissions that it has', async () => {
    const agent = startAgent(await temporaryFolder());
    await agent.browse();
    agent.platform.answer = failing('PLATFORM_UNREACHABLE');
    agent.advance(hourMs);
    await agent.browse();
    await agent.stop();
  });

  it('does not ask the platform for every request', async () => {
    const agent = startAgent(await usedFolder());
    agent.platform.answer = failing('PLATFORM_UNREACHABLE');
    for (let request = 0; request < 50; request++) await agent.browse();
    expect(agent.calls.environment).toBe(1);
    agent.advance(5_000);
    await agent.browse();
    expect(agent.calls.environment).toBe(2);
  });

  it('says that it cannot answer when it knows no permissions, without asking each time', async () => {
    const agent = startAgent(await temporaryFolder());
    agent.platform.answer = failing('PLATFORM_UNREACHABLE');
    for (let request = 0; request < 50; request++) {
      await expect(agent.browse()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
    }
    expect(agent.calls.environment).toBe(1);
  });

  it('does not wait long for a platform that does not finish its answer', { tags: 'long' }, async () => {
    const agent = startAgent(await usedFolder());
    agent.platform.answer = never;
    await agent.browse();
    await agent.authoriser.scopeOf(caller, 'orders', 'browse');
  });
});

describe('an agent whose platform is back', () => {
  it('asks the platform again, and logs that', async () => {
    const agent = startAgent(await usedFolder());
    agent.platform.answer = failing('PLATFORM_FAILED');
    await agent.browse();
    agent.platform.answer = undefined;
    agent.platform.rights = { collections: {} };
    agent.advance(5_000);
    await expect(agent.browse()).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
    expect(agent.log).toEqual(['Warn', 'Info']);
    await agent.stop();
  });
});

describe('the last known permissions are not used', () => {
  it.each(['PLATFORM_UNAUTHENTICATED', 'PLATFORM_REFUSED'] as const)(
    'when the platform says no, neither now nor later: %s',
    async (code) => {
      const folder = await usedFolder();
      const agent = startAgent(folder);
      agent.platform.answer = failing(code);
      await expect(agent.browse()).rejects.toMatchObject({ code });
      await agent.stop();
      const next = startAgent(folder);
      next.platform.answer = failing('PLATFORM_UNREACHABLE');
      await expect(next.browse()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
    },
  );

  it('when something else answers in place of the platform, and still count when the platform is away', async () => {
    const agent = startAgent(await usedFolder());
    agent.platform.answer = failing('PLATFORM_FAILED', 200);
    await expect(agent.browse()).rejects.toMatchObject({ code: 'PLATFORM_FAILED' });
    agent.platform.answer = failing('PLATFORM_BUSY');
    await agent.browse();
    await agent.stop();
  });

  it.each([
    ['of this rendering', [caller.renderingId]],
    ['of unknown ones', undefined],
  ])('when the platform has announced a change of renderings: %s', async (_which, renderingIds) => {
    const agent = startAgent(await usedFolder());
    agent.platform.answer = failing('PLATFORM_FAILED');
    agent.announce({ name: 'refresh-renderings', renderingIds });
    await agent.browse();
    const refused = { code: 'PLATFORM_FAILED' };
    await expect(agent.authoriser.scopeOf(caller, 'orders', 'browse')).rejects.toMatchObject(refused);
    agent.advance(5_000);
    await expect(agent.authoriser.scopeOf(caller, 'orders', 'browse')).rejects.toMatchObject(refused);
    await agent.stop();
  });

  it('when the platform announces a change while an answer is on its way', async () => {
    const agent = startAgent(await usedFolder());
    const answer = Promise.withResolvers<never>();
    agent.platform.answer = () => answer.promise;
    const waiting = agent.browse();
    await expect.poll(() => agent.calls.environment).toBe(1);
    agent.announce({ name: 'refresh-roles' });
    agent.platform.answer = failing('PLATFORM_UNREACHABLE');
    answer.resolve(permissions as never);
    await expect(waiting).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
    agent.advance(5_000);
    await expect(agent.browse()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
    await agent.stop();
  });

  it('when the platform has announced a change', async () => {
    const agent = startAgent(await usedFolder());
    agent.platform.answer = failing('PLATFORM_FAILED');
    await agent.browse();
    agent.documents.forget('everything');
    await agent.browse();
    agent.documents.forget('environment');
    await expect(agent.browse()).rejects.toMatchObject({ code: 'PLATFORM_FAILED' });
    await agent.stop();
  });
});
