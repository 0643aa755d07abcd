import { describe, expect, it } from 'vitest';
import { invitationsSchema, peopleSchema } from '#contracts/people';
import { parsePlatformEvent } from '#contracts/platform-events';
import { createManualTime } from '../helpers/manual-time.ts';
import { password, startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';
const dayMs = 24 * 60 * 60_000;

/** Resolves when an agent of the environment hears that the people are others. */
async function hearsOfUsers({ url, envSecret }: TeamPlatform) {
  const response = await fetch(`${url}/agent/v4/subscribe-to-events`, { headers: { 'service-secret-key': envSecret } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const heard = async () => {
    while (!text.includes('refresh-users')) {
      const { value, done } = (await reader?.read()) ?? { value: '', done: true };
      if (done) throw new Error('The stream ended.');
      text += value;
    }
    await reader?.cancel();
    return parsePlatformEvent('refresh-users', '1');
  };
  return { heard: heard() };
}

describe('people of a project', () => {
  it('an administrator lists them and changes level and role', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join(bob);
    expect(await platform.call('GET', '/api/people')).toMatchObject({
      status: 200,
      body: {
        people: [
          { name: 'Ada Lovelace', email: 'ada@example.test', level: 'admin', role: 'Administrators', isActive: true },
          { id, name: 'bob Example', email: bob, level: 'developer', role: 'Administrators', isActive: true },
        ],
      },
    });
    expect(peopleSchema.parse((await platform.call('GET', '/api/people')).body).people).toHaveLength(2);
    const changed = await platform.call('PATCH', `/api/people/${id}`, { level: 'editor' });
    expect(changed).toMatchObject({ status: 200, body: { id, level: 'editor', role: 'Administrators' } });
    expect(await platform.call('PATCH', `/api/people/${id}`, { role: 'Administrator' })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('Did you mean'),
    });
    expect(await platform.call('PATCH', '/api/people/999', { level: 'user' })).toMatchObject({ status: 404 });
    expect(await platform.call('PATCH', `/api/people/${id}`, {})).toMatchObject({ status: 400 });
    expect(await platform.call('PATCH', `/api/people/${id}`, { rank: 'king' })).toMatchObject({ status: 400 });
    expect(await platform.call('GET', '/api/people?x=1')).toMatchObject({ status: 400 });
  });

  it('an administrator gives several roles and teams, and the history says which', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    const roles = { Administrators: { collections: { '*': { browse: true } } }, Support: { collections: {} } };
    await call('PUT', '/api/rights', { document: { roles, teams: { Operations: {}, North: {} } }, base: 0 });
    const id = await platform.join(bob, { role: undefined, roles: ['Support', 'Administrators'], team: 'North' });
    const change = (body: object) => call('PATCH', `/api/people/${id}`, body);
    for (const body of [
      { role: 'Support', roles: ['Support'] },
      { teams: ['North', 'North'] },
      { roles: [] },
      { roles: ['Suport'] },
    ]) {
      expect([body, (await change(body)).status]).toEqual([body, 400]);
    }
    expect(await change({ roles: ['Administrators'], teams: ['Operations', 'North'] })).toMatchObject({
      body: {
        ...{ role: 'Administrators', team: 'Operations' },
        roles: [{ name: 'Administrators', source: 'given' }],
        teams: [{ name: 'Operations' }, { name: 'North' }],
      },
    });
    expect(await call('GET', '/api/people/history?limit=1')).toMatchObject({
      body: {
        changes: [
          {
            changes: {
              roles: { before: ['Support', 'Administrators'], after: ['Administrators'] },
              teams: { before: ['North'], after: ['Operations', 'North'] },
            },
          },
        ],
      },
    });
    // One role is all that somebody is given, for a client that knows of no others.
    await change({ roles: ['Support', 'Administrators'] });
    expect(await change({ role: 'Support' })).toMatchObject({ body: { roles: [{ name: 'Support' }] } });
  });

  it('deactivating somebody ends their tokens at once and tells the agents; activating lets them in again', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join('eve@example.test', { level: 'admin' });
    const { sandbox, envSecret } = platform;
    const user = { name: 'Eve', email: 'eve@example.test' };
    const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    expect(await platform.call('GET', '/api/me', undefined, userToken)).toMatchObject({ status: 200 });
    const agent = await hearsOfUsers(platform);
    const answer = await platform.call('PATCH', `/api/people/${id}`, { isActive: false });
    expect(answer).toMatchObject({ status: 200, body: { isActive: false } });
    expect(await platform.call('GET', '/api/me', undefined, userToken)).toMatchObject({ status: 401 });
    expect(await agent.heard).toEqual({ name: 'refresh-users' });
    const users = await fetch(`${platform.url}/agent/v4/permissions/users`, {
      headers: { 'service-secret-key': envSecret },
    });
    expect(await users.json()).toMatchObject([{ email: 'ada@example.test' }]);
    await platform.call('PATCH', `/api/people/${id}`, { isActive: true });
    expect(await platform.call('GET', '/api/me', undefined, userToken)).toMatchObject({ status: 401 });
    const again = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    expect(await platform.call('GET', '/api/me', undefined, again.userToken)).toMatchObject({ status: 200 });
  });

  it('the last active administrator can be neither deactivated nor demoted', async () => {
    const platform = await startTeamPlatform();
    const { adaId } = platform;
    const eve = await platform.join('eve@example.test', { level: 'admin' });
    expect(await platform.call('PATCH', `/api/people/${eve}`, { isActive: false })).toMatchObject({ status: 200 });
    for (const change of [{ isActive: false }, { level: 'developer' }]) {
      expect(await platform.call('PATCH', `/api/people/${adaId}`, change)).toMatchObject({
        status: 409,
        detail: expect.stringContaining('last active administrator'),
      });
    }
    await platform.call('PATCH', `/api/people/${eve}`, { isActive: true });
    expect(await platform.call('PATCH', `/api/people/${adaId}`, { level: 'developer' })).toMatchObject({ status: 200 });
    expect(await platform.call('GET', '/api/people')).toMatchObject({ status: 403 });
  });

  it('two administrators who deactivate each other at the same time do not both succeed', async () => {
    const platform = await startTeamPlatform();
    const eve = await platform.join('eve@example.test', { level: 'admin' });
    const answers = await Promise.all(
      [eve, platform.adaId].map((id) => platform.call('PATCH', `/api/people/${id}`, { level: 'user' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('an administrator neither sees nor ends the sessions of somebody who is not in the project', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join(bob);
    const user = { name: 'Mallory', email: 'mallory@example.test' };
    const other = await platform.sandbox.provisionDevelopment({ project: 'market', envSecret: 'f'.repeat(64), user });
    for (const [method, route] of [
      ['GET', '/api/sessions'],
      ['DELETE', '/api/sessions'],
      ['DELETE', '/api/sessions/token-1'],
    ] as const) {
      const answer = await platform.call(method, `${route}?person=${id}`, undefined, other.userToken);
      expect([route, answer]).toMatchObject([route, { status: 404, detail: `The project has no member ${id}.` }]);
    }
  });
});

describe('invitations', () => {
  const accept = (platform: TeamPlatform, secret: string, change: Readonly<Record<string, unknown>> = {}) =>
    platform.call(
      'POST',
      '/api/invitations/accept',
      { secret, firstName: 'Bob', lastName: 'Example', password, ...change },
      null,
    );

  it('a link is good once, and only its hash is listed anywhere', async () => {
    const platform = await startTeamPlatform();
    const secret = await platform.invite(bob, { team: 'Operations' });
    const listed = await platform.call('GET', '/api/invitations');
    expect(listed).toMatchObject({
      status: 200,
      body: {
        invitations: [{ email: bob, level: 'developer', role: 'Administrators', team: 'Operations', state: 'open' }],
      },
    });
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect(await accept(platform, secret)).toMatchObject({ status: 204 });
    expect(await accept(platform, secret)).toMatchObject({ status: 409, detail: expect.stringContaining('accepted') });
    expect(await platform.call('GET', '/api/invitations')).toMatchObject({
      body: { invitations: [{ state: 'accepted' }] },
    });
  });

  it('a link accepted twice at the same time makes one member', async () => {
    const platform = await startTeamPlatform();
    const secret = await platform.invite(bob);
    const answers = await Promise.all([accept(platform, secret), accept(platform, secret)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it.each([
    [{ password: 'short' }, 'at least 12 characters'],
    [{ password: 'x'.repeat(257) }, 'at most 256 characters'],
    [{ password: 'Bob@Example.test' }, 'e-mail address'],
    [{ firstName: ' ' }, 'firstName'],
    [{ secret: 'nonsense' }, 'secret'],
    [{ level: 'admin' }, 'level'],
  ])('a link is not used up by %j', async (change, reason) => {
    const platform = await startTeamPlatform();
    const secret = await platform.invite(bob);
    expect(await accept(platform, secret, change)).toMatchObject({
      status: 400,
      detail: expect.stringContaining(reason),
    });
    expect(await accept(platform, secret)).toMatchObject({ status: 204 });
  });

  it('a link ends after seven days, when it is revoked, and when a newer one replaces it', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    const first = await platform.invite(bob);
    const second = await platform.invite(bob);
    expect(await accept(platform, first)).toMatchObject({ status: 409, detail: expect.stringContaining('replaced') });
    const { body } = await platform.call('GET', '/api/invitations');
    const [newest] = invitationsSchema.parse(body).invitations;
    expect(await platform.call('DELETE', `/api/invitations/${newest?.id}`)).toMatchObject({ status: 204 });
    expect(await platform.call('DELETE', `/api/invitations/${newest?.id}`)).toMatchObject({ status: 404 });
    expect(await accept(platform, second)).toMatchObject({ status: 409, detail: expect.stringContaining('revoked') });
    const third = await platform.invite(bob);
    time.pass(7 * dayMs);
    expect(await accept(platform, third)).toMatchObject({ status: 409, detail: expect.stringContaining('expired') });
    expect(await accept(platform, 'f'.repeat(64))).toMatchObject({ status: 409 });
  });

  it('members are not invited, and roles and teams have to exist', async () => {
    const platform = await startTeamPlatform();
    const create = (change: object) =>
      platform.call('POST', '/api/invitations', { email: bob, level: 'user', role: 'Administrators', ...change });
    expect(await create({ email: 'ADA@example.test' })).toMatchObject({ status: 409 });
    expect(await create({ role: 'Nobody' })).toMatchObject({ status: 400 });
    expect(await create({ team: 'Nobody' })).toMatchObject({ status: 400 });
    expect(await create({ email: 'nobody' })).toMatchObject({ status: 400 });
    const id = await platform.join(bob);
    await platform.call('PATCH', `/api/people/${id}`, { isActive: false });
    expect(await create({})).toMatchObject({ status: 409, detail: expect.stringContaining('deactivated') });
  });

  it('an account joins another project with its own password, which that project cannot change', async () => {
    const platform = await startTeamPlatform();
    const bobId = await platform.join(bob);
    const user = { name: 'Mallory', email: 'mallory@example.test' };
    const other = await platform.sandbox.provisionDevelopment({ project: 'market', envSecret: 'f'.repeat(64), user });
    const invitation = { email: bob, level: 'user', role: 'Administrators' };
    const made = await platform.call('POST', '/api/invitations', invitation, other.userToken);
    const secret = (made.body as { link: string }).link.split('#')[1] ?? '';
    expect(await accept(platform, secret, { password: 'mallory knows this one' })).toMatchObject({ status: 401 });
    expect(await accept(platform, secret)).toMatchObject({ status: 204 });
    const reset = await platform.call('POST', `/api/people/${bobId}/password-reset`, undefined, other.userToken);
    expect(reset).toMatchObject({ status: 403, detail: expect.stringContaining('do not administer') });
    const ada = { ...invitation, email: 'ada@example.test' };
    const forAda = await platform.call('POST', '/api/invitations', ada, other.userToken);
    const stolen = await accept(platform, (forAda.body as { link: string }).link.split('#')[1] ?? '');
    expect(stolen).toMatchObject({ status: 409, detail: expect.stringContaining('no password yet') });
  });

  it.each(['developer', 'editor', 'user'])('the level %s manages nobody', async (level) => {
    const platform = await startTeamPlatform();
    const email = 'eve@example.test';
    const id = await platform.join(email, { level });
    const { sandbox, envSecret } = platform;
    const access = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user: { name: 'Eve', email } });
    const as = access.userToken;
    const invitation = { email: bob, level: 'user', role: 'Administrators' };
    for (const [method, route, body] of [
      ['GET', '/api/people', undefined],
      ['PATCH', `/api/people/${id}`, { level: 'admin' }],
      ['POST', `/api/people/${platform.adaId}/password-reset`, undefined],
      ['GET', '/api/invitations', undefined],
      ['POST', '/api/invitations', invitation],
      ['DELETE', '/api/invitations/1', undefined],
      ['GET', `/api/sessions?person=${platform.adaId}`, undefined],
      ['POST', '/api/environments', { name: 'staging', type: 'production' }],
      ['POST', '/api/environments/development/secret', undefined],
      ['PATCH', '/api/environments/development', { agentAddresses: [] }],
      ['POST', '/api/sign-in-keys/rotate', undefined],
    ] as const) {
      expect([route, (await platform.call(method, route, body, as)).status]).toEqual([route, 403]);
      expect([route, (await platform.call(method, route, body, null)).status]).toEqual([route, 401]);
    }
  });
});
