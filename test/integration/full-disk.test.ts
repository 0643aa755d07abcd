import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { platformErrorOf } from '#platform-client/platform-error';
import { pathOf, startPublicApi } from '../helpers/public-api.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const isMounting = process.platform === 'linux' && process.getuid?.() === 0;
const reason = isMounting ? '' : ' (skipped: only root on Linux mounts a small disk)';

/** A disk of a few megabytes, and what fills it and frees it again. */
async function smallDisk() {
  const folder = path.join(await temporaryFolder(), 'disk');
  await mkdir(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  const filler = path.join(folder, 'filler');
  const fill = async () => {
    // The last bytes are taken one page at a time.
    for (const size of [1024 * 1024, 4096]) {
      for (let part = 0; ; part += 1) {
        const isFull = await writeFile(`${filler}-${size}-${part}`, Buffer.alloc(size)).then(
          () => false,
          (error: NodeJS.ErrnoException) => error.code === 'ENOSPC',
        );
        if (isFull) break;
      }
    }
  };
  const free = () => execFileSync('sh', ['-c', `rm -f ${filler}-*`]);
  return { folder, fill, free };
}

describe.skipIf(!isMounting)(`a platform whose disk is full${reason}`, () => {
  it('answers what only reads, refuses what writes, and goes on when there is room', async () => {
    const disk = await smallDisk();
    const store = { dialect: 'sqlite', storage: path.join(disk.folder, 'platform.sqlite') } as const;
    const platform = await startTeamPlatform({ store });
    await disk.fill();
    for (const route of ['/api/me', '/api/sessions', '/api/people', '/api/invitations', '/api/versions', '/health']) {
      expect([route, (await platform.call('GET', route)).status]).toEqual([route, 200]);
    }
    const invite = async (email: string) => {
      const invitation = { email, level: 'developer', role: 'Administrators' };
      return platform.call('POST', '/api/invitations', invitation);
    };
    // What fits into pages that are there already may still be stored.
    let answer = await invite('bob@example.test');
    for (let round = 0; round < 100 && answer.status === 201; round += 1)
      answer = await invite(`bob${round}@example.test`);
    const body = Buffer.from(JSON.stringify(answer.body));
    // A host and a command say what the platform says.
    expect(platformErrorOf({ status: answer.status, headers: {}, body }, 'platform.test', true)).toMatchObject({
      code: 'PLATFORM_FAILED',
      message: expect.stringContaining('The disk of the platform is full'),
      nextSteps: [expect.stringContaining('frees some space')],
      safeDetails: { status: 503 },
    });
    expect(JSON.stringify(answer.body)).not.toContain('sqlite');
    expect((await platform.call('GET', '/api/me')).status).toBe(200);
    disk.free();
    expect((await invite('eve@example.test')).status).toBe(201);
  });

  it('answers the programs of the public API, whose quota cannot be stored', async () => {
    const disk = await smallDisk();
    const store = { dialect: 'sqlite', storage: path.join(disk.folder, 'platform.sqlite') } as const;
    const api = await startPublicApi({ store, ratePolicies: [{ name: 'min', quota: 5, windowSeconds: 60 }] });
    const token = await api.makeToken({ scopes: ['notes:read'] });
    await disk.fill();
    const statuses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      statuses.push((await api.call('GET', pathOf('notes:read'), { as: token.token })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  });
});
