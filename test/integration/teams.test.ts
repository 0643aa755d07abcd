import { describe, expect, it } from 'vitest';
import { peopleHistorySchema, peopleSchema } from '#contracts/people';
import { rightsSchema } from '#contracts/rights';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';
const roles = { support: { collections: {} } };

async function setTeams({ call }: TeamPlatform, teams: Readonly<Record<string, object>> | undefined) {
  const { revision: base } = rightsSchema.parse((await call('GET', '/api/rights')).body);
  const document = teams === undefined ? null : { roles, teams };
  const answer = await call('PUT', '/api/rights', { document, base, allowLockout: true });
  expect(answer.status).toBe(200);
  return rightsSchema.parse(answer.body);
}

async function teamOf({ call }: TeamPlatform, email: string) {
  const { people } = peopleSchema.parse((await call('GET', '/api/people')).body);
  return people.find((person) => person.email === email)?.team;
}

describe('teams of a project', () => {
  it('an invitation makes somebody a person of its team, and of the first one where it names none', async () => {
    const platform = await startTeamPlatform();
    await setTeams(platform, { Operations: {}, Support: {} });
    await platform.join(bob, { team: 'Support' });
    await platform.join('eve@example.test');
    expect(await teamOf(platform, bob)).toBe('Support');
    expect(await teamOf(platform, 'eve@example.test')).toBe('Operations');
  });

  it('a person has the rendering of their team in each environment', async () => {
    const platform = await startTeamPlatform();
    const { call, sandbox, envSecret } = platform;
    await call('POST', '/api/environments', { name: 'live', type: 'production' });
    await setTeams(platform, { Support: {} });
    const id = await platform.join(bob, { team: 'Support' });
    const { userToken } = await sandbox.provisionDevelopment({
      project: 'shop',
      envSecret,
      user: { name: 'Bob', email: bob },
    });
    const me = async (headers: Record<string, string>) => {
      const authorization = `Bearer ${userToken}`;
      const answer = await fetch(`${platform.url}/api/me`, { headers: { authorization, ...headers } });
      return (await answer.json()) as { team: string; renderingId: number };
    };
    const here = await me({});
    const there = await me({ 'service-environment': 'live' });
    expect([here.team, there.team]).toEqual(['Support', 'Support']);
    expect(there.renderingId).not.toBe(here.renderingId);
    await call('PATCH', `/api/people/${id}`, { team: 'Operations' });
    expect(await me({})).toMatchObject({ team: 'Operations', renderingId: expect.not.closeTo(here.renderingId) });
  });

  it('an administrator moves people, and the platform tells who did that and when', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    await setTeams(platform, { Support: {} });
    const id = await platform.join(bob);
    expect(await call('PATCH', `/api/people/${id}`, { team: 'Suport' })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('Did you mean "Support"?'),
    });
    expect(await call('PATCH', `/api/people/${id}`, { team: 'Support' })).toMatchObject({ body: { team: 'Support' } });
    // The same again is not a change.
    await call('PATCH', `/api/people/${id}`, { team: 'Support' });
    const page = async (query: string) =>
      peopleHistorySchema.parse((await call('GET', `/api/people/history${query}`)).body);
    const newest = await page('?limit=1');
    expect(newest.changes).toMatchObject([
      {
        person: { id, email: bob },
        author: { name: 'Ada Lovelace', email: 'ada@example.test' },
        changes: { team: { before: 'Operations', after: 'Support' } },
      },
    ]);
    expect((await page(`?before=${newest.nextBefore}`)).changes).toMatchObject([
      { changes: { isActive: { before: null, after: true }, team: { before: null, after: 'Operations' } } },
    ]);
  });

  it('a team that the rights name no longer stays until its last person is moved', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    await setTeams(platform, { Operations: {}, Support: {} });
    const id = await platform.join(bob, { team: 'Support' });
    const renamed = await setTeams(platform, { Operations: {}, Helpdesk: {} });
    expect(renamed.teams).toEqual([
      { name: 'Helpdesk', people: 0 },
      { name: 'Operations', people: 1 },
      { name: 'Support', people: 1 },
    ]);
    await call('PATCH', `/api/people/${id}`, { team: 'Helpdesk' });
    expect(rightsSchema.parse((await call('GET', '/api/rights')).body).teams.map(({ name }) => name)).toEqual([
      'Helpdesk',
      'Operations',
    ]);
  });

  it('the rights can be taken away, with the teams and roles that they made and nobody has', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    await setTeams(platform, { Support: {} });
    const invitation = { email: bob, level: 'user' };
    expect(await call('POST', '/api/invitations', { ...invitation, role: 'Administrators' })).toMatchObject({
      status: 201,
    });
    expect(await setTeams(platform, undefined)).toMatchObject({
      document: null,
      revision: 2,
      teams: [{ name: 'Operations', people: 1 }],
    });
    expect(await call('POST', '/api/invitations', { ...invitation, role: 'support' })).toMatchObject({ status: 400 });
    expect(await call('GET', '/api/rights/history')).toMatchObject({
      body: {
        changes: [
          { revision: 2, removed: expect.arrayContaining(['Team "Support" exists']), added: [] },
          { revision: 1 },
        ],
      },
    });
  });

  it('a team that somebody is invited to stays', async () => {
    const platform = await startTeamPlatform();
    await setTeams(platform, { Support: {} });
    const secret = await platform.invite(bob, { team: 'Support' });
    await setTeams(platform, { Operations: {} });
    const accepted = { secret, firstName: 'Bob', lastName: 'Example', password: 'correct horse battery' };
    expect(await platform.call('POST', '/api/invitations/accept', accepted, null)).toMatchObject({ status: 204 });
    expect(await teamOf(platform, bob)).toBe('Support');
  });
});

describe('teams that people create by name', () => {
  const teamsOf = async ({ call }: TeamPlatform, as?: string) =>
    ((await call('GET', '/api/teams', undefined, as)).body as { teams: unknown[] }).teams;

  it('stay without people and rights, until somebody removes them', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    const created = await call('POST', '/api/teams', { name: 'Support' });
    expect([created.status, created.body]).toEqual([201, { name: 'Support', people: 0, isKept: true }]);
    const id = await platform.join(bob, { team: 'Support' });
    expect(await teamsOf(platform)).toEqual([
      { name: 'Operations', people: 1, isKept: false },
      { name: 'Support', people: 1, isKept: true },
    ]);
    const inUse = await call('DELETE', '/api/teams/Support');
    expect([inUse.status, inUse.detail]).toEqual([409, expect.stringContaining('Somebody belongs or is invited')]);
    await call('PATCH', `/api/people/${id}`, { team: 'Operations' });
    expect(await teamsOf(platform)).toHaveLength(2);
    expect((await call('DELETE', '/api/teams/Support')).status).toBe(204);
    expect(await teamsOf(platform)).toEqual([{ name: 'Operations', people: 2, isKept: false }]);
  });

  it('are there once, under a name that the project can keep', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    expect((await call('POST', '/api/teams', { name: 'Operations' })).status).toBe(409);
    expect((await call('POST', '/api/teams', { name: '' })).status).toBe(400);
    const both = await Promise.all([
      call('POST', '/api/teams', { name: 'Süd / Ost' }),
      call('POST', '/api/teams', { name: 'Süd / Ost' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await call('DELETE', `/api/teams/${encodeURIComponent('Süd / Ost')}`)).status).toBe(204);
    const unknown = await call('DELETE', '/api/teams/Operation');
    expect([unknown.status, unknown.detail]).toEqual([404, expect.stringContaining('Did you mean "Operations"?')]);
    const first = await call('DELETE', '/api/teams/Operations');
    expect([first.status, first.detail]).toEqual([409, expect.stringContaining('Every project keeps')]);
    await setTeams(platform, { Support: {} });
    const named = await call('DELETE', '/api/teams/Support');
    expect([named.status, named.detail]).toEqual([409, expect.stringContaining('The rights of an environment name')]);
  });

  it('and roles are listed for developers, and changed by who manages people', async () => {
    const platform = await startTeamPlatform();
    const { call } = platform;
    await setTeams(platform, { Support: {} });
    await platform.join(bob);
    const { sandbox, envSecret } = platform;
    const user = { name: 'Bob', email: bob };
    const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    const id = (await call('GET', '/api/people')).body as { people: { id: number; email: string }[] };
    const bobId = id.people.find(({ email }) => email === bob)?.id;
    await call('PATCH', `/api/people/${bobId}`, { level: 'developer' });
    expect(await teamsOf(platform, userToken)).toHaveLength(2);
    const roles = await call('GET', '/api/roles', undefined, userToken);
    expect(roles.body).toEqual({
      roles: [
        { id: expect.any(Number), name: 'Administrators', people: 2 },
        { id: expect.any(Number), name: 'support', people: 0 },
      ],
    });
    expect((await call('POST', '/api/teams', { name: 'Own' }, userToken)).status).toBe(403);
    expect((await call('DELETE', '/api/teams/Support', undefined, userToken)).status).toBe(403);
    await call('PATCH', `/api/people/${bobId}`, { level: 'editor' });
    expect((await call('GET', '/api/teams', undefined, userToken)).status).toBe(403);
  });
});
