import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { startSandbox } from '#sandbox/index';
import { activity } from '../helpers/audit-api.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

let root: string;
let env: Record<string, string>;

beforeEach(async () => {
  root = await createShopProject();
  const sandbox = await startSandbox({
    store: `sqlite:${path.join(await temporaryFolder(), 'platform.sqlite')}`,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  onTestFinished(() => sandbox.stop());
  const { userToken } = await sandbox.provisionDevelopment({
    project: 'shop',
    envSecret: 'e'.repeat(64),
    user: { name: 'Ada Lovelace', email: 'ada@example.test' },
  });
  env = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: userToken };
});

const run = (...words: string[]) => runCli(['permissions', ...words], { cwd: root, env });
const write = (document: unknown) => writeFile(path.join(root, 'permissions.json'), JSON.stringify(document, null, 2));

const administrators = { collections: { '*': { browse: true } } };
const support = {
  roles: {
    Administrators: administrators,
    support: {
      collections: {
        '*': { browse: true, read: true },
        orders: { browse: true, actions: { 'Mark as paid': { trigger: true, needsApproval: true } } },
      },
    },
  },
};

describe('vendor-cloud permissions', () => {
  it('shows what would change, applies it once somebody says yes, and has nothing more to do then', async () => {
    await write(support);
    const before = await run('diff');
    expect([before.exitCode, before.stderr]).toEqual([1, '']);
    expect(before.stdout.split('\n')).toContain('+ Role "support" may browse "orders"');
    const unasked = await run('apply');
    expect([unasked.exitCode, unasked.stdout]).toEqual([2, '']);
    expect(unasked.stderr).toContain('--yes');
    expect((await run('diff')).exitCode).toBe(1);
    const applied = await run('apply', '--yes');
    expect([applied.exitCode, applied.stdout]).toEqual([
      0,
      '✔ development has the rights of permissions.json (revision 1).',
    ]);
    expect((await run('diff')).exitCode).toBe(0);
    expect(JSON.parse((await run('apply', '--json')).stdout)).toMatchObject({ revision: 1, isApplied: true });
  });

  it('changes single rights, and lists them within 80 columns', { tags: 'long' }, async () => {
    await write(support);
    await run('apply', '--yes');
    const set = await run('set', 'support', 'orders', 'read', 'export', 'on', '--yes');
    expect(set.stderr.split('\n')).toEqual([
      '+ Role "support" may read "orders"',
      '+ Role "support" may export "orders"',
    ]);
    expect(set.stdout).toBe('✔ Set in development (revision 2).');
    expect((await run('set', 'support', '*', 'read', 'off', '--yes')).stderr).toContain(
      '- Role "support" may read every other',
    );
    const hidden = await run('set', 'support', 'orders', 'read', 'off', '--field', 'total', '--yes');
    expect(hidden.stderr).toBe('+ Role "support" does not see "total" of "orders"');
    const masked = await run('set', 'support', 'orders', 'read', 'on', '--field', 'total', '--mask', 'last4', '--yes');
    expect(masked.stderr.split('\n')).toEqual([
      '- Role "support" does not see "total" of "orders"',
      '+ Role "support" sees "total" of "orders" by the mask "last4", and may not filter by it or write it',
    ]);
    expect((await run('set', 'support', 'orders', 'filter', 'off', '--field', 'status', '--yes')).exitCode).toBe(0);
    expect((await run('set', 'support', 'orders', 'browse', 'off', '--field', 'total')).exitCode).toBe(2);
    expect((await run('set', 'support', 'orders', 'filter', 'on', '--field', 'total', '--yes')).exitCode).toBe(1);
    const { stdout } = await run('list', '--role', 'support');
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'ROLE     COLLECTION     MAY',
      'support  (every other)  browse',
      'support  orders         browse read export',
      'support  orders         Mark as paid: trigger, with approval',
      'support  orders         status: read, write',
      'support  orders         total: read by the mask last4',
    ]);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ environment: 'development', revision: 6 });
  });

  it('changes the rights of an action, for all records or for some', { tags: 'long' }, async () => {
    await write(support);
    await run('apply', '--yes');
    const paid = JSON.stringify({ field: 'status', operator: 'equal', value: 'paid' });
    const action = ['--action', 'Mark as paid'];
    const some = await run('set', 'support', 'orders', 'trigger', 'on', ...action, '--where', paid, '--yes');
    expect(some.stderr.split('\n')).toEqual([
      '- Role "support" may trigger "Mark as paid" of "orders"',
      '+ Role "support" may trigger "Mark as paid" of "orders" where status equal "paid"',
    ]);
    expect(some.stdout).toBe('✔ Set in development (revision 2).');
    const approval = await run('set', 'support', 'orders', 'approve', 'selfApprove', 'on', ...action, '--yes');
    expect(approval.stderr).toContain('+ Role "support" may approve own requests for "Mark as paid" of "orders"');
    const off = await run('set', 'support', 'orders', 'needsApproval', 'off', ...action, '--yes');
    expect(off.stderr).toContain('- Role "support" needs an approval for "Mark as paid" of "orders"');
    const others = await run('set', 'support', '*', 'trigger', 'on', '--action', '*', '--yes');
    expect(others.stderr).toContain('+ Role "support" may trigger every other action of every other collection');
  });

  it('says whose team the file leaves out, before it is applied', { tags: 'long' }, async () => {
    await write({ ...support, teams: { Support: {} } });
    const line =
      '! "Operations" is not a team of permissions.json: its people (1) see nothing until they get another team';
    expect((await run('diff')).stdout.split('\n')).toContain(line);
    expect((await run('apply', '--yes', '--allow-lockout')).stderr.split('\n')).toContain(line);
    expect((await run('diff')).stdout.split('\n')).toContain(line);
    expect(JSON.parse((await run('diff', '--json')).stdout)).toMatchObject({
      leftOut: [{ name: 'Operations', people: 1 }],
    });
  });

  it('names a role that people have and the file does not, and locks no administrator out', {
    tags: 'long',
  }, async () => {
    const { Administrators, ...others } = support.roles;
    await write({ roles: { ...others, administrators: Administrators } });
    const line =
      '! Administrators, 1 person, loses everything: permissions.json does not name the role. Did you mean "administrators"?';
    expect((await run('diff')).stdout.split('\n')).toContain(line);
    expect(JSON.parse((await run('diff', '--json')).stdout)).toMatchObject({
      rolesLeftOut: [{ name: 'Administrators', people: 1, nearest: 'administrators' }],
      isLockout: true,
    });
    const refused = await run('apply', '--yes', '--json');
    expect(refused.exitCode).toBe(5);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: {
        code: 'ADMINISTRATORS_LOCKED_OUT',
        message:
          'No administrator of "development" could browse any collection. The role "Administrators" is not named. Did you mean "administrators"?',
      },
    });
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ revision: 0 });
    const confirmed = await run('apply', '--yes', '--allow-lockout');
    expect([confirmed.exitCode, confirmed.stderr.split('\n').includes(line)]).toEqual([0, true]);
    // What locks nobody out any more needs no confirmation.
    await write(support);
    expect((await run('apply', '--yes')).exitCode).toBe(0);
    expect((await run('set', 'Administrators', '*', 'browse', 'off', '--yes')).exitCode).toBe(5);
  });

  it.each([
    [
      'a right of actions without one',
      ['set', 'support', 'orders', 'trigger', 'on'],
      2,
      'no right "trigger" on a collection',
    ],
    [
      'a right of collections on an action',
      ['set', 'support', 'orders', 'read', 'on', '--action', 'x'],
      2,
      'no right "read" on an action',
    ],
    ['a condition without an action', ['set', 'support', 'orders', 'read', 'on', '--where', '{}'], 2, 'needs --action'],
    [
      'a condition that is not one',
      ['set', 'support', 'orders', 'trigger', 'on', '--action', 'x', '--where', '{'],
      2,
      '--where',
    ],
    ['a role that is not there', ['set', 'suport', 'orders', 'read', 'on'], 2, 'Did you mean "support"?'],
    ['a right that is not one', ['set', 'support', 'orders', 'raed', 'on'], 2, 'Did you mean "read"?'],
    ['neither on nor off', ['set', 'support', 'orders', 'read'], 2, '"on" or "off"'],
    ['a role to list that is not there', ['list', '--role', 'suport'], 2, 'Did you mean "support"?'],
    ['an environment that is not there', ['list', '--env', 'developmnt'], 2, 'Did you mean "development"?'],
  ])('refuses %s', { tags: 'long' }, async (_what, words, exitCode, message) => {
    await write(support);
    await run('apply', '--yes');
    const refused = await run(...words, '--json');
    expect(refused.exitCode).toBe(exitCode);
    expect(JSON.parse(refused.stdout).error.message).toContain(message);
  });

  it('points at the wrong place of the file', async () => {
    await write({ roles: { support: { collections: { orders: { brwose: true } } } } });
    const { exitCode, stderr } = await run('diff');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('"brwose" is unknown here. Did you mean "browse"?');
    expect(stderr).toMatch(/> 6 \|\s+"brwose": true/);
    await writeFile(path.join(root, 'permissions.json'), '{ "roles": }');
    expect((await run('apply', '--yes')).stderr).toContain('permissions.json is not JSON');
  });

  it('watches what a stricter file would refuse, and applies it', { tags: 'long' }, async () => {
    await write(support);
    await run('apply', '--yes');
    const none = await run('apply', '--watched', '--yes');
    expect([none.exitCode, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('Nobody watches "development"');
    const next = path.join(root, 'permissions.next.json');
    await writeFile(next, '{ "roles": { "Administrators": { "collections": { "customers": { "brwose": true } } } } }');
    expect((await run('watch', 'permissions.next.json')).stderr).toContain('Did you mean "browse"?');
    await writeFile(next, '{ "roles": { "Administrators": { "collections": { "customers": { "browse": true } } } } }');
    expect((await run('watch', 'nowhere.json')).stderr).toContain('There is no nowhere.json');
    expect((await run('watch', 'permissions.next.json', '--end')).exitCode).toBe(2);
    expect((await run('watch')).stdout).toContain('Nobody watches development.');
    expect((await run('watch', 'permissions.next.json')).stdout).toContain('development is watched. Nobody is refused');
    expect((await run('watch')).stdout).toContain('The file allows everything: 0 acts since');
    const act = activity({ action: 'index', type: 'read', fields: [], user: { ...activity().user, id: 1 } });
    await fetch(`${env['SERVICE_SERVER_URL']}/agent/v1/activities`, {
      method: 'POST',
      headers: { 'service-secret-key': 'e'.repeat(64), 'content-type': 'application/json' },
      body: JSON.stringify({ activities: [act, { ...act, id: systemRandom.uuid() }] }),
    });
    await run('set', 'support', 'orders', 'read', 'on', '--yes');
    const { stdout } = await run('watch');
    expect(stdout).toContain('Ada Lovelace began at ');
    expect(stdout).toContain('! The rights have changed since: revision 2, and not 1.');
    expect(stdout).toMatch(/ada@example\.test +2 +may not browse "orders"/);
    expect(JSON.parse((await run('watch', '--json')).stdout)).toMatchObject({
      environment: 'development',
      change: null,
      watch: { refused: { acts: 2, refusals: [{ collection: 'orders', acts: 2 }] } },
    });
    const applied = await run('apply', '--watched', '--yes');
    expect(applied.stderr).toContain('- Role "Administrators" may browse every other');
    expect(applied.stdout).toBe('✔ Set in development (revision 3).');
    expect((await run('watch')).stdout).toContain('Nobody watches development.');
    await run('watch', 'permissions.next.json');
    expect((await run('watch', '--end')).stdout).toContain('✔ The watch of development has ended.');
    expect((await run('watch', '--end')).exitCode).toBe(2);
  });

  it('does not touch the file of the project', async () => {
    await write(support);
    const before = await readFile(path.join(root, 'permissions.json'), 'utf8');
    await run('apply', '--yes');
    await run('set', 'support', 'orders', 'read', 'on', '--yes');
    expect(await readFile(path.join(root, 'permissions.json'), 'utf8')).toBe(before);
  });
});
