import { describe, expect, it } from 'vitest';
import { newApiTokenSchema } from '#contracts/api-tokens';
import { noteMessageSchema, notePageSchema, noteSchema } from '#contracts/public-api/notes';
import { startAuditApi } from '../helpers/audit-api.ts';
import { useStoreEngines } from '../helpers/store-engines.ts';

const base = '/environment/development/notes';
const written = { collectionName: 'orders', recordId: '7|a%2F', title: 'Late', content: '<p>Where is it?</p>' };

describe.each(useStoreEngines())('notes on $engine', ({ newPlace }) => {
  async function start() {
    const platform = await startAuditApi({ store: await newPlace() });
    const send = async (
      method: string,
      path: string,
      body?: unknown,
      headers: Readonly<Record<string, string>> = {},
    ) => {
      const answer = await fetch(`${platform.sandbox.url}/v1/project/shop${path}`, {
        method,
        headers: {
          authorization: `Bearer ${platform.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const parsed = (await answer.json()) as Readonly<Record<string, unknown>>;
      return { status: answer.status, headers: answer.headers, body: parsed };
    };
    const create = async (change: object = {}) =>
      noteSchema.parse((await send('POST', base, { ...written, ...change })).body);
    const list = async (query = '') => notePageSchema.parse((await send('GET', `${base}${query}`)).body);
    const idsOf = async (query: string) => (await list(query)).data.map(({ id }) => id);
    const actions = async () => {
      const page = await platform.list('/environment/development/activity-logs?order=asc&include=core&limit=100');
      return page.data.map(({ action, recordIds }) => [action, recordIds]);
    };
    return { ...platform, send, create, list, idsOf, actions };
  }

  it('begin with a message, take more in order, and are found again', async () => {
    const { send, list, actions } = await start();
    const made = await send('POST', base, written);
    expect(made.status).toBe(201);
    const note = noteSchema.parse(made.body);
    expect(note).toMatchObject({
      title: 'Late',
      recordId: '7|a%2F',
      collection: { object: 'collection', name: 'orders' },
      team: { object: 'team', name: 'Operations' },
      environment: { object: 'environment', name: 'development' },
      user: { object: 'user', email: 'ada@example.test', username: 'Ada Lovelace' },
      messages: [{ object: 'note-message', content: '<p>Where is it?</p>', user: { username: 'Ada Lovelace' } }],
    });
    expect(note).not.toHaveProperty('archivedAt');
    expect(made.headers.get('location')).toBe(`/v1/project/shop${base}/${note.id}`);
    expect(made.headers.get('etag')).toBe('"1"');
    const replies = Array.from({ length: 8 }, (_, number) => `reply ${number}`);
    const answers = await Promise.all(
      replies.map((content) => send('POST', `${base}/${note.id}/messages`, { content })),
    );
    expect(answers.map(({ status }) => status)).toEqual(replies.map(() => 201));
    for (const { body } of answers) noteMessageSchema.parse(body);
    const found = await send('GET', `${base}/${note.id}`);
    expect(found.headers.get('etag')).toBe('"9"');
    const { messages } = noteSchema.parse(found.body);
    expect(
      messages
        .map(({ content }) => content)
        .slice(1)
        .toSorted(),
    ).toEqual(replies);
    expect((await list()).data).toEqual([found.body]);
    expect(await actions()).toEqual([
      ['createNote', ['7|a%2F']],
      ...replies.concat('').map(() => ['createMessage', ['7|a%2F']]),
    ]);
  });

  it('change for who has seen their newest state, and are archived once', async () => {
    const { send, create, actions } = await start();
    const { id } = await create();
    const change = (body: object, etag?: string) =>
      send('PATCH', `${base}/${id}`, body, etag === undefined ? {} : { 'if-match': etag });
    expect(await change({ title: 'Later' })).toMatchObject({ status: 428, body: { code: 'precondition_missing' } });
    expect(await change({ title: 'Later' }, 'nonsense')).toMatchObject({ status: 400 });
    const renamed = await change({ title: 'Later' }, '"1"');
    expect(renamed).toMatchObject({ status: 200, body: { title: 'Later' } });
    expect(renamed.headers.get('etag')).toBe('"2"');
    for (const stale of ['"1"', 'W/"2"']) {
      expect(await change({ archived: true }, stale)).toMatchObject({
        status: 412,
        body: { code: 'precondition_failed' },
      });
    }
    const archived = await change({ archived: true }, '"1", "2"');
    expect(archived).toMatchObject({ status: 200, body: { archivedAt: expect.any(String) } });
    // The answer may have been lost, so that the request comes again.
    const again = await change({ archived: true }, '"2"');
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, archived.body, '"3"']);
    expect(await send('POST', `${base}/${id}/messages`, { content: 'more' })).toMatchObject({ status: 409 });
    const back = await change({ archived: false, title: 'Late again' }, '*');
    expect(noteSchema.parse(back.body)).not.toHaveProperty('archivedAt');
    expect((await actions()).map(([action]) => action)).toEqual(['createNote', 'createMessage', 'deleteNote']);
  });

  it('log a change of the title as an action that not every client knows', async () => {
    const { send, create, json } = await start();
    const { id } = await create();
    await send('PATCH', `${base}/${id}`, { title: 'Later' }, { 'if-match': '"1"' });
    const path = '/environment/development/activity-logs?include=all&action=updateNote&expand=source,changes';
    expect((await json(path)).body['data']).toMatchObject([
      { action: 'updateNote', type: 'write', label: 'Later', source: 'api', fields: ['title'] },
    ]);
  });

  it('are listed by every filter, the newest first, page by page', async () => {
    const { create, list, idsOf, send } = await start();
    const first = await create();
    const second = await create({ collectionName: 'customers', recordId: '8' });
    const third = await create({ recordId: '8' });
    await send('PATCH', `${base}/${second.id}`, { archived: true }, { 'if-match': '*' });
    const [one, two, three] = [first.id, second.id, third.id];
    const time = encodeURIComponent(second.createdAt);
    expect(await idsOf('')).toEqual([three, two, one]);
    expect(await idsOf('?recordId=8')).toEqual([three, two]);
    expect(await idsOf('?recordId=8&collectionName=orders')).toEqual([three]);
    expect(await idsOf(`?userId=${first.user.id}&userEmail=ada@EXAMPLE.test&teamName=Operations`)).toHaveLength(3);
    for (const none of ['userId=999', 'userEmail=eve@example.test', 'teamName=operations', 'collectionName=Orders']) {
      expect([none, ...(await idsOf(`?${none}`))]).toEqual([none]);
    }
    expect(await idsOf(`?createdAt.lt=${time}`)).toEqual([one]);
    expect(await idsOf(`?createdAt.gte=${time}&createdAt.lte=${time}`)).toContain(two);
    expect(await idsOf('?archivedAt.gt=2020-01-01T00:00')).toEqual([two]);
    expect(await idsOf(`?updatedAt.gt=${time}`)).toContain(two);
    const page = await list('?limit=2&collectionName=orders');
    expect(page).toMatchObject({ hasMore: false, parameters: { limit: 2, collectionName: 'orders' } });
    const newest = await list('?limit=1');
    expect([newest.hasMore, newest.data[0]?.id]).toEqual([true, three]);
    await create();
    const rest = await list(`?limit=5&cursor=${newest.nextCursor}`);
    expect([rest.hasMore, ...rest.data.map(({ id }) => id)]).toEqual([false, two, one]);
    expect(await send('GET', `${base}?limit=1&recordId=8&cursor=${newest.nextCursor}`)).toMatchObject({ status: 400 });
    for (const bad of ['limit=0', 'limit=101', 'page=2', 'userId=0', 'createdAt.lt=yesterday', 'recordId=%00']) {
      expect([bad, (await send('GET', `${base}?${bad}`)).status]).toEqual([bad, 400]);
    }
  });

  it('keep harmless HTML only, and refuse what does not fit', async () => {
    const { create, send } = await start();
    const content = [
      '<p onclick="x()">a<script>alert(1)</script><br>',
      '<a href="javascript:x()">b</a><a href="https://example.test/" target="_top">c</a><a href="//evil.test">d</a>',
      '<img src=x onerror=x()><style>p{}</style><b>e</b></p>\u2028\u202E',
    ].join('');
    const note = await create({ content });
    expect(note.messages[0]?.content).toBe(
      '<p>a<br /><a>b</a><a href="https://example.test/">c</a><a>d</a><b>e</b></p>\u2028\u202E',
    );
    const status = async (change: object) => (await send('POST', base, { ...written, ...change })).status;
    expect(await status({ content: 'x'.repeat(64 * 1024) })).toBe(201);
    expect(await status({ content: 'x'.repeat(64 * 1024 + 1) })).toBe(413);
    expect(await status({ content: 'é'.repeat(32 * 1024 + 1) })).toBe(413);
    expect(await status({ title: 't'.repeat(255) })).toBe(201);
    for (const bad of [
      { title: '' },
      { title: '  ' },
      { title: 't'.repeat(256) },
      { title: 'half \uD800' },
      { content: '' },
      { content: '<script>alert(1)</script>' },
      { content: 'zero \0' },
      { recordId: '' },
      { recordId: 'a\0' },
      { teamName: 'Nobody' },
      { collectionName: undefined },
      { more: 1 },
    ]) {
      expect([bad, await status(bad)]).toEqual([bad, 400]);
    }
    expect((await send('GET', `${base}/999`)).status).toBe(404);
    expect((await send('POST', `${base}/999/messages`, { content: 'x' })).status).toBe(404);
    expect((await send('PATCH', `${base}/999`, { title: 'x' }, { 'if-match': '*' })).status).toBe(404);
    expect((await send('GET', `${base}/first`)).status).toBe(400);
    expect((await send('PATCH', `${base}/${note.id}`, {}, { 'if-match': '*' })).status).toBe(400);
  });

  it('take what the scopes of a token let through, and log the token', async () => {
    const { sandbox, token, json } = await start();
    const tokenWith = async (scope: string) => {
      const answer = await fetch(`${sandbox.url}/api/projects/shop/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: scope, scopes: [scope] }),
      });
      return newApiTokenSchema.parse(await answer.json());
    };
    const [reader, writer] = [await tokenWith('notes:read'), await tokenWith('notes:write')];
    const statusFor = async (as: string, method: string, body?: object) => {
      const answer = await fetch(`${sandbox.url}/v1/project/shop${base}`, {
        method,
        headers: { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return answer.status;
    };
    expect(await statusFor(reader.token, 'GET')).toBe(200);
    expect(await statusFor(reader.token, 'POST', written)).toBe(403);
    expect(await statusFor(writer.token, 'GET')).toBe(403);
    expect(await statusFor(writer.token, 'POST', written)).toBe(201);
    const { body } = await json('/environment/development/activity-logs?expand=source');
    expect(body['data']).toMatchObject([
      { action: 'createMessage', tokenId: String(writer.id) },
      { action: 'createNote', tokenId: String(writer.id) },
    ]);
  });

  it('are made once for an idempotency key', async () => {
    const { send, idsOf } = await start();
    const headers = { 'idempotency-key': 'one' };
    const answers = await Promise.all([1, 2, 3].map(() => send('POST', base, written, headers)));
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(2);
    expect(await idsOf('')).toHaveLength(1);
    expect(await send('POST', base, { ...written, title: 'Other' }, headers)).toMatchObject({ status: 422 });
    const path = `${base}/${answers[0]?.body['id']}/messages`;
    const replies = [
      await send('POST', path, { content: 'x' }, headers),
      await send('POST', path, { content: 'x' }, headers),
    ];
    expect(replies[1]?.body).toEqual(replies[0]?.body);
  });
});
