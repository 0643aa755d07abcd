import { describe, expect, it } from 'vitest';
import { apiScopes, createApiTokenSchema } from '#contracts/api-tokens';
import { allOfCollection, type ClientRights, clientRightsSchema } from '#contracts/client-rights';
import { toolNames } from '#contracts/mcp';
import { allTools, limitsOf, noLimits, rightsOf } from '../../../src/console/access/client-limits.ts';
import { creationOf, emptyToken, isComplete, tokenLives, warningOf } from '../../../src/console/access/token-form.ts';
import {
  argumentsOf,
  readForm,
  readJson,
  type ToolSchema,
  textsOf,
} from '../../../src/console/access/tool-arguments.ts';
import { readAnswer } from '../../../src/console/access/tool-calls.ts';
import { accessTexts } from '../../../src/console/messages/en-access.ts';

describe('the form of a token', () => {
  it('asks the platform for what it takes, with every length of life', () => {
    for (const life of tokenLives) {
      const api = { ...emptyToken, name: 'siem', scopes: apiScopes, life, addresses: '10.0.0.0/8, 192.0.2.1' };
      const made = createApiTokenSchema.parse(creationOf(api));
      expect(made.allowedCidrs).toEqual(['10.0.0.0/8', '192.0.2.1']);
      expect(made.neverExpires ?? made.expiresInSeconds).toBe(life === 'never' ? true : Number(life) * 86_400);
      const account = createApiTokenSchema.parse(creationOf({ ...api, isServiceAccount: true }));
      expect(account).toMatchObject({ scopes: ['agents:use'], allowedCidrs: [] });
    }
  });

  it('is complete with a name and something that the token may do', () => {
    expect(isComplete({ ...emptyToken, name: ' ', isServiceAccount: true })).toBe(false);
    expect(isComplete({ ...emptyToken, name: 'siem' })).toBe(false);
    expect(isComplete({ ...emptyToken, name: 'siem', scopes: ['notes:read'] })).toBe(true);
    expect(isComplete({ ...emptyToken, name: 'sync', isServiceAccount: true })).toBe(true);
  });
});

describe('a token in the list', () => {
  const now = Date.parse('2026-06-01T00:00:00Z');
  const token = {
    state: 'active',
    expiresSoon: false,
    expiresAt: '2026-06-08T00:00:00Z',
    createdAt: '2026-01-01T00:00:00Z',
    lastUsedAt: '2026-05-31T00:00:00Z',
  } as const;

  it('is warned of when it ends soon or nobody has used it for 90 days', () => {
    expect(warningOf(token, now)).toBeUndefined();
    expect(warningOf({ ...token, expiresSoon: true, lastUsedAt: null }, now)).toBe('ends soon');
    // It was made today, for a week.
    expect(warningOf({ ...token, expiresSoon: true, createdAt: '2026-06-01T00:00:00Z' }, now)).toBeUndefined();
    expect(warningOf({ ...token, lastUsedAt: null }, now)).toBe('unused');
    expect(warningOf({ ...token, lastUsedAt: null, createdAt: '2026-05-01T00:00:00Z' }, now)).toBeUndefined();
    expect(warningOf({ ...token, lastUsedAt: '2026-03-02T23:59:59Z' }, now)).toBe('unused');
    expect(warningOf({ ...token, lastUsedAt: '2026-03-03T00:00:01Z' }, now)).toBeUndefined();
    expect(warningOf({ ...token, lastUsedAt: '2026-01-03T00:00:01Z', state: 'revoked' }, now)).toBeUndefined();
  });
});

describe('the limits of an MCP client', () => {
  const again = (rights: ClientRights | null) => rightsOf(limitsOf(rights), rights);

  it('stay as they are when nobody changes the form', () => {
    const known: readonly (ClientRights | null)[] = [
      null,
      { collections: { '*': { browse: true, read: true } } },
      { collections: { orders: allOfCollection }, tools: ['list'], recordsPerCall: 50, writesPerHour: 0 },
      { collections: { orders: { browse: true, actions: { Ship: true } }, '*': {} } },
      { collections: {} },
      { tools: [] },
    ];
    for (const rights of known) expect(again(rights)).toEqual(rights);
  });

  it('give all of a collection that is chosen, or its reading part', () => {
    expect(rightsOf({ ...noLimits, collections: ['orders'] }, null)).toEqual({
      collections: { orders: allOfCollection },
    });
    const reading = { browse: true, read: true };
    expect(rightsOf({ ...noLimits, isReadOnly: true }, null)).toEqual({ collections: { '*': reading } });
    expect(rightsOf(noLimits, { recordsPerCall: 5 })).toBeNull();
  });

  it('keep the rules of fields when a program only reads, and when it may write again', () => {
    const fields = { salary: false };
    const before: ClientRights = { collections: { people: { browse: true, read: true, edit: true, fields } } };
    const read = rightsOf({ ...limitsOf(before), isReadOnly: true }, before);
    expect(read).toEqual({ collections: { people: { browse: true, read: true, fields } } });
    const whole = rightsOf({ ...limitsOf(read), isReadOnly: false }, read);
    expect(whole).toEqual({ collections: { people: { ...allOfCollection, fields } } });
    expect(clientRightsSchema.parse(whole)).toEqual(whole);
  });

  it('name every tool', () => {
    expect(allTools.toSorted()).toEqual([...toolNames].sort());
  });

  it('have a word for each scope', () => {
    expect(Object.keys(accessTexts.scopes)).toEqual(expect.arrayContaining([...apiScopes]));
  });
});

const schema: ToolSchema = {
  type: 'object',
  properties: {
    fields: { type: 'array', items: { type: 'string' }, minItems: 1 },
    collectionName: { type: 'string' },
    recordId: { type: ['string', 'number'] },
    deleted: { type: 'string', enum: ['only', 'with'] },
    enableCount: { type: 'boolean' },
    maxBytes: { type: 'integer', minimum: 4_000, maximum: 256_000 },
    sort: { anyOf: [{ type: 'object', required: ['field'], properties: {} }, { type: 'string' }] },
  },
  required: ['collectionName'],
  additionalProperties: false,
};

describe('the form of a tool', () => {
  it('asks for each argument by its schema, those that are required first', () => {
    expect(argumentsOf(schema).map(({ name, widget }) => [name, widget])).toEqual([
      ['collectionName', 'text'],
      ['fields', 'json'],
      ['recordId', 'text'],
      ['deleted', 'choice'],
      ['enableCount', 'box'],
      ['maxBytes', 'number'],
      ['sort', 'json'],
    ]);
  });

  it('sends what was filled in, and numbers to the last digit', () => {
    const texts = {
      collectionName: 'orders',
      recordId: '9007199254740993',
      enableCount: 'true',
      maxBytes: '4000',
      sort: '',
    };
    const { sent, problems } = readForm(schema, texts);
    expect([sent, problems]).toEqual([
      { collectionName: 'orders', recordId: '9007199254740993', enableCount: true, maxBytes: 4000 },
      [],
    ]);
    expect(textsOf(schema, sent)).toEqual({ ...texts, sort: undefined });
    const { sent: exact } = readJson(schema, '{"collectionName": "orders", "recordId": 9007199254740993}');
    expect(JSON.stringify(exact)).toBe('{"collectionName":"orders","recordId":9007199254740993}');
  });

  it('says what does not fit, and where', () => {
    const wrong = { fields: '[1]', deleted: 'all', enableCount: 'perhaps', maxBytes: '1', sort: '5' };
    expect(readForm(schema, wrong).problems.map(({ at, problem }) => [at, problem])).toEqual([
      ['enableCount', 'json'],
      ['collectionName', 'missing'],
      ['fields.0', 'type'],
      ['deleted', 'choice'],
      ['maxBytes', 'range'],
      ['sort', 'type'],
    ]);
    expect(readForm(schema, { collectionName: 'orders', fields: '[]' }).problems).toMatchObject([{ at: 'fields' }]);
    expect(readJson(schema, '[]').problems).toMatchObject([{ at: '', problem: 'json' }]);
    expect(readJson(schema, '{"collectionName": "orders", "x": 1}').problems).toMatchObject([
      { at: 'x', problem: 'unknown' },
    ]);
    expect(readJson(schema, '{"collectionName": "orders", "sort": {}}').problems).toMatchObject([{ at: 'sort.field' }]);
  });
});

describe('the answer of a tool', () => {
  it('is read for refusals, marks and questions', () => {
    const refusal = { error: { code: 'REQUEST_INVALID', message: 'No.', nextSteps: ['Do this.'] } };
    const text = JSON.stringify(refusal);
    expect(readAnswer({ isError: true, content: [{ type: 'text', text }] })).toMatchObject({
      isError: true,
      ...refusal,
    });
    const marked = { untrusted: { fields: ['body'], note: '' }, records: [] };
    expect(readAnswer({ structuredContent: marked, content: [] })).toMatchObject({
      ...{ isError: false, untrusted: ['body'], value: marked, error: undefined },
    });
    const question = { status: 'confirmation_required', confirmationToken: 'x' };
    expect(readAnswer({ structuredContent: question })).toMatchObject({ confirmationToken: 'x' });
    expect(readAnswer({ content: [{ type: 'text', text: '{broken' }] })).toMatchObject({ value: undefined });
  });
});
