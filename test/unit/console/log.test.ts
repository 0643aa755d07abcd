import { describe, expect, it } from 'vitest';
import { filtersOf, logPath, readLogState, stateOfOther } from '../../../src/console/log/log-state.ts';
import { factsOf, whatWasDone } from '../../../src/console/log/log-words.ts';
import { en } from '../../../src/console/messages/en.ts';

const named = <Kind extends string>(object: Kind, name: string) => ({ object, name });
const ada = { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada' } as const;
const createdAt = '2026-01-02T03:04:05.678Z';

describe('the address of the log', () => {
  it('has the filters of the API, and nothing else', () => {
    const state = readLogState({
      collectionName: 'orders',
      'createdAt.gte': createdAt,
      environment: 'production',
      status: '',
      constructor: 'x',
    });
    expect(state).toEqual({ collectionName: 'orders', 'createdAt.gte': createdAt, environment: 'production' });
    expect(filtersOf('activity', state)).toEqual({ collectionName: 'orders', 'createdAt.gte': createdAt });
    expect(filtersOf('admin', state)).toEqual({ 'createdAt.gte': createdAt });
  });

  it('keeps for the other log what both have', () => {
    expect(stateOfOther({ userEmail: ada.email, type: 'read', action: 'update', environment: 'production' })).toEqual({
      userEmail: ada.email,
      environment: 'production',
    });
  });

  it('names a project and an environment with any letters', () => {
    const place = { project: 'a/b', environment: 'x?y' };
    expect(logPath({ kind: 'activity', ...place })).toBe('/console/v1/project/a%2Fb/environment/x%3Fy/activity-logs');
    expect(logPath({ kind: 'admin', ...place })).toBe('/console/v1/project/a%2Fb/admin-logs');
  });
});

describe('a row of the log in words', () => {
  const act = {
    object: 'activityLog',
    id: 'a1',
    type: 'write',
    action: 'action',
    createdAt,
    label: 'Ship',
    recordIds: ['1', '2'],
    collection: named('collection', 'orders'),
    user: ada,
    environment: named('environment', 'development'),
    team: named('team', 'Operations'),
    client: { object: 'client', id: 'c', name: 'Assistant' },
    tool: 'executeAction',
    correlationId: null,
    fields: [],
    durationMs: 0,
  } as const;

  it('says what somebody did', () => {
    const { label, ...plain } = act;
    expect(whatWasDone({ ...act, recordIds: [], fields: [] }, en)).toBe('Ran an action: Ship');
    expect(whatWasDone({ ...plain, action: 'update', recordIds: [], fields: [] }, en)).toBe('Changed');
    expect(label).toBe('Ship');
  });

  it('says what was changed in the project, by the name that it has', () => {
    const change = { object: 'adminLog', id: 'b1', type: 'add', resource: 'team', createdAt } as const;
    const of = (facts: object) => whatWasDone({ ...change, initiator: 'administrator', ...facts }, en);
    expect(of({ newValue: { name: 'Support' } })).toBe('Team, added: Support');
    expect(of({ type: 'remove', previousValue: { user: ada } })).toBe('Team, removed: Ada');
    expect(of({ type: 'update', resource: 'environment-secret' })).toBe('Secret of an environment, changed');
  });

  it('leaves nothing out that the row says, and shows no empty fact', () => {
    const facts = new Map(factsOf({ ...act, recordIds: ['1', '2'], fields: [] }, en));
    expect([...facts.keys()]).toEqual([
      ...['Id', 'Kind', 'Action', 'Time', 'Label', 'Records', 'Collection', 'Person', 'Environment', 'Team'],
      ...['Program', 'Tool', 'Milliseconds'],
    ]);
    expect([facts.get('Records'), facts.get('Person'), facts.get('Milliseconds')]).toEqual([
      '1, 2',
      'Ada · ada@example.test',
      '0',
    ]);
  });
});
