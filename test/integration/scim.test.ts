import { describe, expect, it } from 'vitest';
import {
  errorSchema,
  filterBy,
  groupSchema,
  type Json,
  listSchema,
  patch,
  patchSchema,
  scimOf,
  startScim,
  userSchema,
} from '../helpers/scim.ts';
import type { TeamPlatform } from '../helpers/team-platform.ts';

/** A person as administrators see them. */
async function personOf(platform: TeamPlatform, email: string) {
  const { body } = await platform.call('GET', '/api/people');
  return (body as { people: Json[] }).people.find((person) => person['email'] === email);
}

describe('a SCIM token', () => {
  it('is shown once, opens SCIM only, and ends at once', { tags: 'long' }, async () => {
    const { platform, token, tokenId, scim, made, readLog } = await startScim();
    expect(made).toMatchObject({
      status: 201,
      body: { url: `${platform.url}/scim/v2`, role: 'support', team: 'Operations' },
    });
    expect(token).toMatch(/^svc_scim_/);
    expect((await scim('GET', '/Users')).status).toBe(200);
    const listed = await platform.call('GET', '/api/scim-tokens');
    expect(JSON.stringify(listed.body)).not.toContain(token);
    expect(listed.body).toMatchObject({
      tokens: [{ id: tokenId, hint: token.slice(-4), lastUsedAt: expect.any(String) }],
    });
    for (const path of ['/api/people', '/api/me', '/v1/rate-limit', '/api/scim-tokens']) {
      expect([path, (await platform.call('GET', path, undefined, token)).status]).toEqual([path, 401]);
    }
    for (const other of [undefined, platform.token, 'svc_scim_nonsense']) {
      const refused = await scimOf(platform, other)('GET', '/Users');
      expect(refused).toMatchObject({ status: 401, body: { schemas: [errorSchema], status: '401' } });
    }
    expect(await platform.call('DELETE', `/api/scim-tokens/${tokenId}`)).toMatchObject({ status: 204 });
    expect((await scim('GET', '/Users')).status).toBe(401);
    expect(await platform.call('DELETE', '/api/scim-tokens/77')).toMatchObject({ status: 404 });
    const wrong = await platform.call('POST', '/api/scim-tokens', { name: 'x', role: 'nobody' });
    expect(wrong).toMatchObject({ status: 400, detail: expect.stringContaining('no role "nobody"') });
    const logged = (await readLog()).filter(({ resource }) => resource === 'scim-token');
    expect(logged.map(({ type }) => type)).toEqual(['add', 'remove']);
  });
});

describe('the configuration of SCIM (RFC 7644, 4)', () => {
  it('says what there is, in the forms of RFC 7643', async () => {
    const { scim } = await startScim();
    expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 100, maxPayloadSize: 1024 * 1024 },
      filter: { supported: true, maxResults: 200 },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    expect((await scim('GET', '/ResourceTypes')).body).toMatchObject({
      schemas: [listSchema],
      totalResults: 2,
      Resources: [
        { id: 'User', endpoint: '/Users', schema: userSchema },
        { id: 'Group', schema: groupSchema },
      ],
    });
    expect((await scim('GET', `/Schemas/${groupSchema}`)).body).toMatchObject({ id: groupSchema, name: 'Group' });
    expect(await scim('GET', '/Schemas/nonsense')).toMatchObject({ status: 404, body: { schemas: [errorSchema] } });
    expect(await scim('GET', '/Nothing')).toMatchObject({ status: 404, body: { status: '404' } });
    expect((await scim('GET', '/Users')).headers.get('content-type')).toContain('application/scim+json');
  });
});

describe('users of SCIM', () => {
  it('are created, read, replaced and deleted (RFC 7644, 3.3 to 3.6)', async () => {
    const { platform, scim, readLog } = await startScim();
    const created = await scim('POST', '/Users', {
      schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      userName: 'Bob@Example.test',
      externalId: 'b-1',
      name: { givenName: 'Bob', familyName: 'Builder' },
      emails: [{ value: 'bob@example.test', type: 'work', primary: 'True' }],
      active: 'True',
      title: 'Engineer',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'IT' },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        schemas: [userSchema],
        userName: 'Bob@Example.test',
        externalId: 'b-1',
        name: { givenName: 'Bob', familyName: 'Builder', formatted: 'Bob Builder' },
        emails: [{ value: 'bob@example.test', primary: true }],
        active: true,
        meta: { resourceType: 'User', version: expect.stringMatching(/^W\/"/) },
      },
    });
    const { id, meta } = created.body as { id: string; meta: { location: string; version: string } };
    expect(meta.location).toBe(`${platform.url}/scim/v2/Users/${id}`);
    expect(created.headers.get('location')).toBe(meta.location);
    expect(await personOf(platform, 'bob@example.test')).toMatchObject({
      level: 'user',
      role: 'support',
      isActive: true,
    });
    const read = await scim('GET', `/Users/${id}`);
    expect(read.body).toEqual(created.body);
    expect(read.headers.get('etag')).toBe(meta.version);
    expect((await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version })).status).toBe(304);
    const body = {
      userName: 'Bob@Example.test',
      externalId: 'b-2',
      name: { givenName: 'Robert', familyName: 'Builder' },
    };
    expect(await scim('PUT', `/Users/${id}`, body, { 'if-match': 'W/"other"' })).toMatchObject({ status: 412 });
    const replaced = await scim('PUT', `/Users/${id}`, body, { 'if-match': meta.version });
    expect(replaced).toMatchObject({ status: 200, body: { externalId: 'b-2', name: { givenName: 'Robert' } } });
    expect((await personOf(platform, 'bob@example.test'))?.['name']).toBe('Robert Builder');
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const gone = await scim(method, `/Users/${id}`, method === 'PUT' ? body : undefined);
      expect(gone).toMatchObject({ status: 404, body: { schemas: [errorSchema], status: '404' } });
    }
    expect(await personOf(platform, 'bob@example.test')).toMatchObject({ isActive: false });
    const again = await scim('POST', '/Users', { userName: 'bob@example.test' });
    expect(again).toMatchObject({ status: 201, body: { id, active: true } });
    const people = (await readLog()).filter(({ resource }) => resource === 'user-project');
    expect(people.filter(({ initiator }) => initiator === 'identityProvider').map(({ type }) => type)).toEqual([
      'add',
      'update',
      'remove',
      'add',
    ]);
  });

  it.each([
    ['no name', { schemas: [userSchema] }, 'invalidValue'],
    ['no e-mail address', { userName: 'bob' }, 'invalidValue'],
    ['an answer that is neither true nor false', { userName: 'a@example.test', active: 'perhaps' }, 'invalidValue'],
    ['no JSON', '{', 'invalidSyntax'],
  ])('are refused with %s', async (_what, body, scimType) => {
    const { scim } = await startScim();
    const refused = await scim('POST', '/Users', body);
    expect(refused).toMatchObject({ status: 400, body: { schemas: [errorSchema], status: '400', scimType } });
  });

  it('have one name each, whatever its letters (RFC 7644, 3.3)', async () => {
    const { scim, create } = await startScim();
    await create('bob@example.test');
    const second = await scim('POST', '/Users', { userName: 'BOB@example.test' });
    expect(second).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    expect(await scim('POST', '/Users', { userName: 'ada@example.test' })).toMatchObject({ status: 409 });
  });

  it('are found by filters and pages (RFC 7644, 3.4.2)', async () => {
    const { scim, create } = await startScim();
    for (const name of ['bob', 'eve', 'sam']) await create(`${name}@example.test`, { externalId: `x-${name}` });
    const { id } = await create('off@example.test', { active: false });
    const found = async (query: string) => {
      const { body } = await scim('GET', `/Users?${query}`);
      return (body['Resources'] as Json[]).map((user) => user['userName']);
    };
    expect(await found(filterBy('userName eq "EVE@example.test"'))).toEqual(['eve@example.test']);
    expect(await found(filterBy('USERNAME Eq "sam@example.test"'))).toEqual(['sam@example.test']);
    expect(await found(filterBy('externalId eq "x-bob"'))).toEqual(['bob@example.test']);
    expect(await found(filterBy('externalId eq "X-BOB"'))).toEqual([]);
    expect(await found(filterBy('active eq false'))).toEqual(['off@example.test']);
    expect(await found(filterBy('active eq "False"'))).toEqual(['off@example.test']);
    expect(await found(filterBy('active eq true and externalId eq "x-sam"'))).toEqual(['sam@example.test']);
    expect(await found(filterBy(`id eq "${id}"`))).toEqual(['off@example.test']);
    expect(await found(filterBy('emails.value eq "bob@example.test"'))).toEqual(['bob@example.test']);
    const page = await scim('GET', '/Users?startIndex=2&count=2');
    expect(page.body).toMatchObject({ schemas: [listSchema], totalResults: 5, startIndex: 2, itemsPerPage: 2 });
    expect(await found('startIndex=2&count=2')).toEqual(['bob@example.test', 'eve@example.test']);
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({
      totalResults: 5,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await scim('GET', '/Users?startIndex=0&count=-1')).body).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
    expect((await scim('GET', '/Users?startIndex=99')).body).toMatchObject({ totalResults: 5, Resources: [] });
    for (const filter of ['title eq "x"', '(', 'userName eq']) {
      const refused = await scim('GET', `/Users?${filterBy(filter)}`);
      expect([filter, refused.status, refused.body['scimType']]).toEqual([filter, 400, 'invalidFilter']);
    }
    const short = await scim('GET', `/Users/${id}?attributes=userName`);
    expect(Object.keys(short.body).sort()).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect((await scim('GET', `/Users/${id}?excludedAttributes=emails`)).body).not.toHaveProperty('emails');
  });

  it.each([
    ['Entra ID, with capital letters and texts', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['Okta, without a path', { op: 'replace', value: { active: false } }, { active: false }],
    ['a path to a part', { op: 'replace', path: 'name.givenName', value: 'Zoe' }, { name: { givenName: 'Zoe' } }],
    [
      'a path as a name',
      { op: 'Add', value: { 'name.givenName': 'Zoe', active: 'True' } },
      { name: { givenName: 'Zoe' }, active: true },
    ],
    [
      'a filter in the path',
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'zoe@example.test' },
      { emails: [{ value: 'zoe@example.test' }] },
    ],
    ['the schema in the path', { op: 'replace', path: `${userSchema}:externalId`, value: 'z' }, { externalId: 'z' }],
    ['removal', { op: 'Remove', path: 'externalId' }, { externalId: undefined }],
    [
      'an attribute of another schema',
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'IT' },
      { active: true },
    ],
    ['an attribute that nobody keeps', { op: 'Add', path: 'title', value: 'Boss' }, { active: true }],
  ])('are changed by a patch of %s (RFC 7644, 3.5.2)', async (_form, operation, expected) => {
    const { scim, create } = await startScim();
    const { id } = await create('bob@example.test', { externalId: 'b', name: { givenName: 'Bob', familyName: 'B' } });
    const { status, body } = await scim('PATCH', `/Users/${id}`, patch(operation));
    expect([status, body]).toEqual([200, expect.objectContaining({ userName: 'bob@example.test' })]);
    expect({ externalId: undefined, ...body }).toMatchObject(expected);
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(body);
  });

  it.each([
    ['an operation that there is not', patch({ op: 'move', path: 'active', value: true }), 'invalidSyntax'],
    ['a path that there is not', patch({ op: 'replace', path: 'nonsense', value: 1 }), 'invalidPath'],
    ['an id', patch({ op: 'replace', path: 'id', value: '7' }), 'mutability'],
    ['no operation', { schemas: [patchSchema], Operations: [] }, 'invalidSyntax'],
    ['another schema', { schemas: ['x'], Operations: [{ op: 'remove', path: 'externalId' }] }, 'invalidSyntax'],
    ['a removal of nothing', patch({ op: 'remove' }), 'noTarget'],
  ])('are not changed by a patch of %s', async (_what, body, scimType) => {
    const { scim, create } = await startScim();
    const { id } = await create('bob@example.test');
    const before = await scim('GET', `/Users/${id}`);
    const refused = await scim('PATCH', `/Users/${id}`, body);
    expect(refused).toMatchObject({ status: 400, body: { schemas: [errorSchema], scimType } });
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(before.body);
  });

  it('lose their sessions at once where they are deactivated, and the last administrator is never one of them', async () => {
    const { platform, scim, tokenId } = await startScim();
    const bobId = await platform.join('bob@example.test', { level: 'admin' });
    const { sandbox, envSecret } = platform;
    const user = { name: 'Bob', email: 'bob@example.test' };
    const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    expect((await platform.call('GET', '/api/me', undefined, userToken)).status).toBe(200);
    const off = patch({ op: 'Replace', path: 'active', value: 'False' });
    expect(await scim('PATCH', `/Users/${bobId}`, off)).toMatchObject({ status: 200, body: { active: false } });
    expect((await platform.call('GET', '/api/me', undefined, userToken)).status).toBe(401);
    // Everybody who is left is one person.
    const refused = await scim('PATCH', `/Users/${platform.adaId}`, off);
    expect(refused).toMatchObject({
      status: 409,
      body: { schemas: [errorSchema], status: '409', detail: expect.stringContaining('last active administrator') },
    });
    expect(await scim('DELETE', `/Users/${platform.adaId}`)).toMatchObject({ status: 409 });
    expect(await platform.call('GET', '/api/scim-tokens')).toMatchObject({
      body: { tokens: [{ id: tokenId, lastRefusal: { reason: expect.stringContaining('ada@example.test') } }] },
    });
    expect(platform.logged).toContainEqual({
      message: 'SCIM was stopped at the last administrator.',
      fields: expect.objectContaining({ token: tokenId }),
    });
    // SCIM brings an administrator back as a user.
    const on = patch({ op: 'replace', path: 'active', value: true });
    expect(await scim('PATCH', `/Users/${bobId}`, on)).toMatchObject({ status: 200 });
    expect(await personOf(platform, 'bob@example.test')).toMatchObject({ isActive: true, level: 'user' });
    expect(await platform.call('GET', '/api/me')).toMatchObject({ status: 200 });
  });

  it('keep their address where they administer the project, were not made by SCIM, or work elsewhere', async () => {
    const { platform, scim, create } = await startScim();
    const move = patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'mallory@example.test' });
    const invited = await platform.join('bob@example.test');
    for (const id of [platform.adaId, invited]) {
      expect(await scim('PATCH', `/Users/${id}`, move)).toMatchObject({
        status: 400,
        body: { scimType: 'mutability' },
      });
    }
    const { id } = await create('eve@example.test');
    await platform.call('PATCH', `/api/people/${id}`, { level: 'admin' });
    expect(await scim('PATCH', `/Users/${id}`, move)).toMatchObject({ status: 400 });
    await platform.call('PATCH', `/api/people/${id}`, { level: 'user' });
    const taken = patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'ada@example.test' });
    expect(await scim('PATCH', `/Users/${id}`, taken)).toMatchObject({ status: 409 });
    expect(await scim('PATCH', `/Users/${id}`, move)).toMatchObject({ status: 200 });
  });

  it('are those of one project: nobody of another one is seen or changed', async () => {
    const { platform, scim, create } = await startScim();
    const user = { name: 'Zoe Other', email: 'zoe@example.test' };
    const market = await platform.sandbox.provisionDevelopment({ project: 'market', envSecret: 'f'.repeat(64), user });
    expect((await scim('GET', '/Users')).body['totalResults']).toBe(1);
    for (const [method, body] of [
      ['GET'],
      ['DELETE'],
      ['PATCH', patch({ op: 'replace', path: 'active', value: false })],
    ] as const) {
      expect((await scim(method, `/Users/${market.userId}`, body)).status).toBe(404);
    }
    const group = await scim('POST', '/Groups', { displayName: 'all', members: [{ value: String(market.userId) }] });
    expect(group).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    // The account is there already, so that the person joins with it. Its name in the other project stays.
    const joined = await create('zoe@example.test', { name: { givenName: 'Mallory', familyName: 'X' } });
    expect(joined.id).toBe(String(market.userId));
    await scim('PATCH', `/Users/${joined.id}`, patch({ op: 'replace', path: 'active', value: false }));
    const there = await platform.call('GET', '/api/people', undefined, market.userToken);
    expect(there.body).toMatchObject({ people: [{ name: 'Zoe Other', level: 'admin', isActive: true }] });
  });
});

describe('groups of SCIM', () => {
  async function startGroups() {
    const started = await startScim();
    const { scim, create } = started;
    const ids = [];
    for (const name of ['bob', 'eve', 'sam']) ids.push((await create(`${name}@example.test`)).id);
    const [bob = '', eve = '', sam = ''] = ids;
    const made = await scim('POST', '/Groups', {
      schemas: [groupSchema],
      displayName: 'Sales',
      externalId: 'g-1',
      members: [{ value: bob }, { value: eve }],
    });
    const { id } = made.body as { id: string };
    const members = async () =>
      ((await scim('GET', `/Groups/${id}`)).body['members'] as Json[]).map(({ value }) => value);
    return { ...started, bob, eve, sam, id, made, members };
  }

  it('are created, found, replaced and deleted', async () => {
    const { scim, made, id, bob, eve, sam, members } = await startGroups();
    expect(made).toMatchObject({
      status: 201,
      body: { displayName: 'Sales', externalId: 'g-1', members: [{ value: bob }, { value: eve }] },
    });
    expect(await scim('POST', '/Groups', { displayName: 'SALES' })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    });
    const found = async (filter: string) => (await scim('GET', `/Groups?${filterBy(filter)}`)).body['totalResults'];
    expect(await found('displayName eq "sales"')).toBe(1);
    expect(await found(`id eq "${id}" and members eq "${bob}"`)).toBe(1);
    expect(await found(`id eq "${id}" and members eq "${sam}"`)).toBe(0);
    expect((await scim('GET', `/Groups/${id}?excludedAttributes=members`)).body).not.toHaveProperty('members');
    expect((await scim('GET', `/Users/${bob}`)).body).toMatchObject({ groups: [{ value: id, display: 'Sales' }] });
    await scim('PUT', `/Groups/${id}`, { displayName: 'Sales', members: [{ value: sam }] });
    expect(await members()).toEqual([sam]);
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Groups/${id}`)).status).toBe(404);
  });

  it('are changed by the patches that clients send, also by many at once', async () => {
    const { scim, id, bob, eve, sam, members } = await startGroups();
    const change = (...operations: readonly Json[]) => scim('PATCH', `/Groups/${id}`, patch(...operations));
    await change({ op: 'Add', path: 'members', value: [{ value: sam }] });
    expect(await members()).toEqual([bob, eve, sam]);
    await change({ op: 'Remove', path: `members[value eq "${bob}"]` });
    expect(await members()).toEqual([eve, sam]);
    await change({ op: 'Remove', path: 'members', value: [{ value: eve }] });
    expect(await members()).toEqual([sam]);
    await change({ op: 'replace', value: { id, displayName: 'Selling' } });
    expect((await scim('GET', `/Groups/${id}`)).body).toMatchObject({
      displayName: 'Selling',
      members: [{ value: sam }],
    });
    await change({ op: 'remove', path: 'members' });
    expect(await members()).toEqual([]);
    await Promise.all([bob, eve, sam].map((value) => change({ op: 'add', path: 'members', value: [{ value }] })));
    expect(await members()).toEqual([bob, eve, sam]);
    expect(await change({ op: 'add', path: 'members', value: [{ value: '7777' }] })).toMatchObject({ status: 400 });
    expect(await members()).toEqual([bob, eve, sam]);
  });

  it('give what an administrator has mapped, and nothing else', async () => {
    const { platform, scim, id, bob, readLog } = await startGroups();
    const roleOf = async () => (await personOf(platform, 'bob@example.test'))?.['role'];
    expect(await roleOf()).toBe('support');
    await platform.call('PUT', '/api/groups/Sales', { roles: ['sales'] });
    expect(await platform.call('GET', '/api/groups')).toMatchObject({
      body: {
        groups: [{ group: 'Sales', roles: ['sales'], makesAdministrator: false, people: 2 }],
        keptAdministrators: [],
      },
    });
    expect(await roleOf()).toBe('sales');
    await scim('PATCH', `/Groups/${id}`, patch({ op: 'remove', path: `members[value eq "${bob}"]` }));
    expect(await roleOf()).toBe('support');
    await scim('PATCH', `/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: bob }] }));
    // A role that somebody gives by hand is the first one from then on.
    await platform.call('PATCH', `/api/people/${bob}`, { role: 'Administrators' });
    expect(await roleOf()).toBe('Administrators');
    const given = (await readLog()).filter(({ resource }) => resource === 'membership');
    expect(given).toContainEqual(
      expect.objectContaining({
        type: 'add',
        newValue: expect.objectContaining({ name: 'sales', source: 'group', group: 'Sales' }),
      }),
    );
    const wrong = await platform.call('PUT', '/api/groups/Sales', { roles: ['nobody'] });
    expect(wrong).toMatchObject({ status: 400, detail: expect.stringContaining('no role "nobody"') });
    expect(await platform.call('PUT', '/api/groups/Sales', {})).toMatchObject({ status: 400 });
    expect(await platform.call('DELETE', '/api/groups/Nobody')).toMatchObject({ status: 404 });
  });

  it('make administrators only where that was mapped, and never remove the last one', async () => {
    const { platform, scim, id, bob, eve } = await startGroups();
    const levelOf = async (email = 'bob@example.test') => (await personOf(platform, email))?.['level'];
    await platform.call('PUT', '/api/groups/Sales', { roles: ['Administrators'] });
    expect(await levelOf()).toBe('user');
    await platform.call('PUT', '/api/groups/Sales', { roles: ['Administrators'], makesAdministrator: true });
    expect(await levelOf()).toBe('admin');
    const out = (value: string) =>
      scim('PATCH', `/Groups/${id}`, patch({ op: 'remove', path: `members[value eq "${value}"]` }));
    expect((await out(bob)).status).toBe(200);
    expect(await levelOf()).toBe('user');
    // Eve is the last one from here on.
    await platform.call('PATCH', `/api/people/${platform.adaId}`, { level: 'user' });
    for (const refused of [await out(eve), await scim('DELETE', `/Groups/${id}`)]) {
      expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('eve@example.test') } });
    }
    expect((await scim('GET', `/Groups/${id}`)).body).toMatchObject({ members: [{ value: eve }] });
  });
});
