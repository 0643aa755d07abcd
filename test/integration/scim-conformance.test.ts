import { describe, expect, it } from 'vitest';
import {
  errorSchema,
  filterBy,
  groupSchema,
  type Json,
  listSchema,
  patch,
  startScim,
  userSchema,
} from '../helpers/scim.ts';

const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const bulkSchema = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const namesIn = ({ body }: { readonly body: Json }) =>
  (body['Resources'] as Json[]).map((each) => each['userName'] ?? each['displayName']);

describe('SCIM answers the examples of RFC 7644', () => {
  it('create and search, with attributes and pages in the body (3.3, 3.4.3)', async () => {
    const { scim, create, platform } = await startScim();
    const created = await scim('POST', '/Users', {
      schemas: [userSchema],
      userName: 'bjensen@example.test',
      externalId: 'bjensen',
      name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
    });
    expect(created).toMatchObject({ status: 201, body: { meta: { resourceType: 'User' } } });
    await create('jsmith@example.test');
    await scim('POST', '/Groups', { schemas: [groupSchema], displayName: 'Smiths' });
    const search = (path: string, request: Json) =>
      scim('POST', `${path}/.search`, { schemas: [searchSchema], ...request });
    const found = await search('/Users', {
      attributes: ['name.familyName', 'userName'],
      filter: 'userName sw "b" or displayName sw "jsmith"',
      sortBy: 'userName',
      sortOrder: 'Descending',
      startIndex: 1,
      count: 10,
    });
    expect(found).toMatchObject({ status: 200, body: { schemas: [listSchema], totalResults: 2, startIndex: 1 } });
    expect(found.body['Resources']).toEqual([
      expect.objectContaining({ userName: 'jsmith@example.test' }),
      {
        schemas: [userSchema],
        id: expect.any(String),
        userName: 'bjensen@example.test',
        name: { familyName: 'Jensen' },
        meta: expect.anything(),
      },
    ]);
    // Both kinds at once: what a kind does not have matches nothing of it.
    const both = await search('', { filter: 'displayName co "smith" and not (userName ew ".org")' });
    expect([both.body['totalResults'], namesIn(both)]).toEqual([2, ['jsmith@example.test', 'Smiths']]);
    const second = await search('', { startIndex: 3, count: 2 });
    expect([second.body['totalResults'], namesIn(second)]).toEqual([4, ['jsmith@example.test', 'Smiths']]);
    expect(await search('', { sortBy: 'id' })).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(await search('/Users', { sortBy: 'title' })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    });
    expect(await scim('POST', '/Users/.search', { filter: 'id pr' })).toMatchObject({ status: 400 });
    expect(await search('/Users', { filter: 'x'.repeat(3000) })).toMatchObject({ body: { scimType: 'invalidFilter' } });
    expect(await scim('GET', '/Users?startIndex=one')).toMatchObject({ status: 400, body: { schemas: [errorSchema] } });
    expect(platform.logged.filter(({ message }) => message === 'SCIM failed.')).toEqual([]);
  });

  it('sorted lists, and attributes of every request (3.4.2.3, 3.9)', async () => {
    const { scim, create } = await startScim();
    const { id } = await create('Zoe@example.test');
    await create('bob@example.test');
    expect(namesIn(await scim('GET', '/Users?sortBy=userName&sortOrder=descending&attributes=userName'))).toEqual([
      'Zoe@example.test',
      'bob@example.test',
      'ada@example.test',
    ]);
    const changed = await scim(
      'PATCH',
      `/Users/${id}?attributes=active`,
      patch({ op: 'add', path: 'active', value: true }),
    );
    expect(Object.keys(changed.body).sort()).toEqual(['active', 'id', 'meta', 'schemas']);
    const short = await scim('GET', `/Users/${id}?excludedAttributes=emails.type,${userSchema}:name,meta`);
    expect(short.body).toMatchObject({ emails: [{ value: 'zoe@example.test', primary: true }] });
    for (const name of ['name', 'meta']) expect(short.body).not.toHaveProperty(name);
    expect((short.body['emails'] as Json[])[0]).not.toHaveProperty('type');
  });

  it('versions: a list of them, any, and none of a group whose members were left out (3.14)', async () => {
    const { scim } = await startScim();
    const made = await scim('POST', '/Groups', { displayName: 'Sales' });
    const { id, meta } = made.body as { id: string; meta: { version: string } };
    expect(made.headers.get('etag')).toBe(meta.version);
    const part = await scim('GET', `/Groups/${id}?excludedAttributes=members`);
    expect([part.headers.get('etag'), part.body['meta']]).toEqual([
      null,
      expect.not.objectContaining({ version: expect.anything() }),
    ]);
    const rename = (displayName: string) => patch({ op: 'replace', path: 'displayName', value: displayName });
    const late = { 'if-match': 'W/"before", W/"long-before"' };
    expect((await scim('PATCH', `/Groups/${id}`, rename('A'), late)).status).toBe(412);
    expect((await scim('DELETE', `/Groups/${id}`, undefined, late)).status).toBe(412);
    expect(
      (await scim('PATCH', `/Groups/${id}`, rename('A'), { 'if-match': `W/"before", ${meta.version}` })).status,
    ).toBe(200);
    expect((await scim('DELETE', `/Groups/${id}`, undefined, { 'if-match': '*' })).status).toBe(204);
  });
});

describe('POST /Bulk (RFC 7644, 3.7)', () => {
  const bulkOf = ({ scim }: Pick<Awaited<ReturnType<typeof startScim>>, 'scim'>) => {
    return async (operations: readonly Json[], more: Json = {}) => {
      const answer = await scim('POST', '/Bulk', { schemas: [bulkSchema], ...more, Operations: operations });
      return { ...answer, operations: (answer.body['Operations'] ?? []) as Json[] };
    };
  };
  const post = (path: string, bulkId: string, data: Json) => ({ method: 'POST', path, bulkId, data });

  it('makes, changes and removes, and puts ids in the place of each bulkId', async () => {
    const { platform, scim, create } = await startScim();
    const bulk = bulkOf({ scim });
    const old = await create('old@example.test');
    const { status, body, operations } = await bulk([
      // A group may come before its members.
      post('/Groups', 'ytrewq', { displayName: 'Tour Guides', members: [{ value: 'bulkId:qwerty' }] }),
      post('/Users', 'qwerty', { userName: 'alice@example.test' }),
      { method: 'patch', path: `/Users/${old.id}`, data: patch({ op: 'replace', path: 'active', value: false }) },
      { method: 'PUT', path: '/Users/bulkId:qwerty', data: { userName: 'alice@example.test', externalId: 'a' } },
      { method: 'DELETE', path: `/Users/${old.id}` },
    ]);
    expect([status, body['schemas']]).toEqual([200, ['urn:ietf:params:scim:api:messages:2.0:BulkResponse']]);
    expect(operations.map((each) => [each['method'], each['status']])).toEqual([
      ['POST', '201'],
      ['POST', '201'],
      ['PATCH', '200'],
      ['PUT', '200'],
      ['DELETE', '204'],
    ]);
    expect(operations[0]).toMatchObject({
      bulkId: 'ytrewq',
      location: expect.stringContaining('/scim/v2/Groups/'),
      version: expect.any(String),
    });
    const groups = await scim('GET', `/Groups?${filterBy('displayName eq "tour guides"')}`);
    expect(groups.body['Resources']).toMatchObject([{ members: [{ display: 'alice@example.test' }] }]);
    expect(namesIn(await scim('GET', `/Users?${filterBy('externalId eq "a"')}`))).toEqual(['alice@example.test']);
    expect(platform.logged.filter(({ message }) => message === 'SCIM failed.')).toEqual([]);
  });

  it('keeps what went before a failure, and stops at the number of failures that the client names', async () => {
    const { scim } = await startScim();
    const bulk = bulkOf({ scim });
    const requests = [
      post('/Users', '1', { userName: 'ada@example.test' }),
      post('/Users', '2', { userName: 'eve@example.test' }),
      { method: 'DELETE', path: '/Users/7777' },
      post('/Users', '3', { userName: 'sam@example.test' }),
    ];
    const stopped = await bulk(requests, { failOnErrors: 2 });
    expect(stopped.operations).toMatchObject([
      { bulkId: '1', status: '409', response: { schemas: [errorSchema], status: '409', scimType: 'uniqueness' } },
      { bulkId: '2', status: '201' },
      { method: 'DELETE', status: '404' },
    ]);
    expect(stopped.operations).toHaveLength(3);
    expect((await scim('GET', '/Users')).body['totalResults']).toBe(2);
    expect((await bulk(requests)).operations.map(({ status }) => status)).toEqual(['409', '409', '404', '201']);
    const lost = await bulk([post('/Groups', 'g', { displayName: 'G', members: [{ value: 'bulkId:nobody' }] })]);
    expect(lost.operations).toMatchObject([
      { status: '409', response: { detail: expect.stringContaining('bulkId:nobody') } },
    ]);
  });

  it('refuses what is too much, and what it does not understand', async () => {
    const { scim } = await startScim();
    const bulk = bulkOf({ scim });
    const one = { method: 'DELETE', path: '/Users/7777' };
    expect(await bulk(Array.from({ length: 101 }, () => one))).toMatchObject({
      status: 413,
      body: { schemas: [errorSchema] },
    });
    expect((await scim('POST', '/Bulk', `{"x":"${'x'.repeat(1024 * 1024)}"}`)).status).toBe(413);
    const deep = JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`) as Json;
    for (const operation of [
      { method: 'GET', path: '/Users/1' },
      { method: 'POST', path: '/Users', data: {} },
      { method: 'DELETE', path: '/Users' },
      { method: 'DELETE', path: '/api/people/1' },
      post('/Users', 'x', { userName: 'x@example.test', title: deep }),
    ]) {
      const refused = await bulk([operation]);
      expect([operation, refused.status, refused.body['scimType']]).toEqual([operation, 400, 'invalidSyntax']);
    }
  });

  it('deactivates everybody but the last active administrator, and says why', async () => {
    const { platform, scim, create, tokenId } = await startScim();
    const { id } = await create('eve@example.test');
    const off = patch({ op: 'replace', path: 'active', value: false });
    const { operations } = await bulkOf({ scim })(
      [platform.adaId, id].map((each) => ({ method: 'PATCH', path: `/Users/${each}`, data: off })),
    );
    expect(operations).toMatchObject([
      { status: '409', response: { detail: expect.stringContaining('last active administrator') } },
      { status: '200' },
    ]);
    expect(await platform.call('GET', '/api/scim-tokens')).toMatchObject({
      body: { tokens: [{ id: tokenId, lastRefusal: { reason: expect.stringContaining('ada@example.test') } }] },
    });
  });
});

describe('SCIM answers what the validator of Entra ID asks for', () => {
  it('users: created, found, changed and deactivated', async () => {
    const { scim } = await startScim();
    const nobody = await scim('GET', `/Users?${filterBy('userName eq "non-existent user"')}&aadOptscim062020`);
    expect(nobody).toMatchObject({ status: 200, body: { schemas: [listSchema], totalResults: 0, Resources: [] } });
    const created = await scim('POST', '/Users', {
      schemas: [userSchema, enterpriseSchema],
      externalId: '0a21f0f2',
      userName: 'testuser@example.test',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'testuser@example.test' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'given family', familyName: 'family', givenName: 'given' },
      roles: [],
    });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    for (const filter of [
      'userName eq "TestUser@example.test"',
      'externalId eq "0a21f0f2"',
      'emails[type eq "work"].value eq "testuser@example.test"',
    ]) {
      expect(namesIn(await scim('GET', `/Users?${filterBy(filter)}`))).toEqual(['testuser@example.test']);
    }
    expect((await scim('POST', '/Users', { schemas: [userSchema], userName: 'TESTUSER@example.test' })).status).toBe(
      409,
    );
    const changed = await scim(
      'PATCH',
      `/Users/${id}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@example.test' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamily' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
        { op: 'Replace', path: 'addresses[type eq "work"].formatted', value: 'x' },
        { op: 'Add', path: `${enterpriseSchema}:department`, value: 'x' },
        {
          op: 'Add',
          value: { 'name.givenName': 'updatedGiven', [`${enterpriseSchema}:manager`]: '7', displayName: 'x' },
        },
      ),
    );
    expect(changed).toMatchObject({
      status: 200,
      body: {
        emails: [{ value: 'updated@example.test', type: 'work', primary: true }],
        name: { familyName: 'updatedFamily', givenName: 'updatedGiven' },
      },
    });
    for (const [value, active] of [
      ['False', false],
      ['True', true],
      [false, false],
    ] as const) {
      const answer = await scim('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'active', value }));
      expect(answer).toMatchObject({ status: 200, body: { active } });
    }
    expect(
      (await scim('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'userName', value: 'new@example.test' }))).body,
    ).toMatchObject({
      userName: 'new@example.test',
    });
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404);
  });

  it('groups: created empty, members added and removed in every form, without members in the answer', async () => {
    const { scim, create } = await startScim();
    const [one, two, three] = [
      (await create('one@example.test')).id,
      (await create('two@example.test')).id,
      (await create('three@example.test')).id,
    ];
    const created = await scim('POST', '/Groups', {
      schemas: [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    });
    expect(created).toMatchObject({ status: 201, body: { displayName: 'displayName' } });
    const { id } = created.body as { id: string };
    const found = await scim('GET', `/Groups?excludedAttributes=members&${filterBy('displayName eq "DISPLAYNAME"')}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    expect((found.body['Resources'] as Json[])[0]).not.toHaveProperty('members');
    const members = async (...operations: readonly Json[]) => {
      const { status, body } = await scim('PATCH', `/Groups/${id}`, patch(...operations));
      expect(status).toBe(200);
      return (body['members'] as Json[]).map(({ value }) => value);
    };
    expect(await members({ op: 'Add', path: 'members', value: [{ $ref: null, value: one }, { value: two }] })).toEqual([
      one,
      two,
    ]);
    // The same member again changes nothing.
    expect(await members({ op: 'Add', path: 'members', value: [{ value: one }] })).toEqual([one, two]);
    expect(await members({ op: 'Remove', path: 'members', value: [{ $ref: null, value: one }] })).toEqual([two]);
    expect(await members({ op: 'Remove', path: `members[value eq "${one}"]` })).toEqual([two]);
    expect(await members({ op: 'Add', value: { members: [{ value: three }, { value: one }] } })).toEqual([
      one,
      two,
      three,
    ]);
    expect(await members({ op: 'remove', path: `members[value eq "${one}" or value eq "${three}"]` })).toEqual([two]);
    expect(await members({ op: 'Replace', path: 'members', value: [{ value: three }] })).toEqual([three]);
    expect(
      await members({ op: 'Replace', path: 'displayName', value: 'updated' }, { op: 'Remove', path: 'members' }),
    ).toEqual([]);
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
  });
});

describe('SCIM answers what the CRUD tests of Okta ask for', () => {
  it('users: pages, one by name, replaced, deactivated and activated by PUT and PATCH', async () => {
    const { scim } = await startScim();
    const first = await scim('GET', '/Users?count=1&startIndex=1');
    expect(first.body).toMatchObject({ itemsPerPage: 1, startIndex: 1, schemas: [listSchema] });
    expect(first.headers.get('content-type')).toContain('application/scim+json');
    expect((await scim('GET', '/Users/00919288221112222')).body).toMatchObject({
      schemas: [errorSchema],
      status: '404',
      detail: expect.any(String),
    });
    const user = {
      schemas: [userSchema],
      userName: 'runscope@example.test',
      name: { givenName: 'Runscope', familyName: 'Test' },
      emails: [{ primary: true, value: 'runscope@example.test', type: 'work' }],
      displayName: 'Runscope Test',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const created = await scim('POST', '/Users', user);
    expect(created).toMatchObject({ status: 201, body: { active: true, userName: 'runscope@example.test' } });
    expect(JSON.stringify(created.body)).not.toContain('1mz050nq');
    const { id } = created.body as { id: string };
    expect(await scim('POST', '/Users', user)).toMatchObject({
      status: 409,
      body: { status: '409', scimType: 'uniqueness' },
    });
    const { groups: _none, password: _secret, ...known } = user;
    const put = (more: Json) => scim('PUT', `/Users/${id}`, { ...known, id, ...more });
    expect((await put({ name: { givenName: 'Another', familyName: 'Name' } })).body).toMatchObject({
      name: { givenName: 'Another' },
    });
    expect((await put({ active: false })).body).toMatchObject({ active: false });
    const on = await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: true } }));
    expect(on).toMatchObject({ status: 200, body: { active: true } });
  });

  it('groups: membership by a list without a path, renamed with the id in the value, and replaced by PUT', async () => {
    const { scim, create } = await startScim();
    const [one, two] = [(await create('one@example.test')).id, (await create('two@example.test')).id];
    const created = await scim('POST', '/Groups', { schemas: [groupSchema], displayName: 'Test SCIMv2', members: [] });
    const { id } = created.body as { id: string };
    expect((await scim('GET', '/Groups?startIndex=1&count=100')).body).toMatchObject({ totalResults: 1 });
    const renamed = await scim(
      'PATCH',
      `/Groups/${id}`,
      patch({ op: 'replace', value: { id, displayName: 'Renamed' } }),
    );
    expect(renamed).toMatchObject({ status: 200, body: { displayName: 'Renamed' } });
    const changed = await scim(
      'PATCH',
      `/Groups/${id}`,
      patch(
        { op: 'add', path: 'members', value: [{ value: one, display: 'one@example.test' }, { value: two }] },
        { op: 'remove', path: `members[value eq "${one}"]` },
      ),
    );
    expect(changed.body['members']).toMatchObject([{ value: two }]);
    const replaced = await scim('PUT', `/Groups/${id}`, {
      schemas: [groupSchema],
      id,
      displayName: 'Renamed',
      members: [{ value: one }],
    });
    expect(replaced.body['members']).toMatchObject([{ value: one }]);
    expect(
      (await scim('PATCH', `/Groups/${id}`, patch({ op: 'replace', path: 'members', value: [] }))).body['members'],
    ).toEqual([]);
  });
});
