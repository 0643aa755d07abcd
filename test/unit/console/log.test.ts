import { describe, expect, it } from 'vitest';
import { activityTypes } from '#contracts/activity';
import type { AdminValues } from '#contracts/audit/admin-values';
import { expandedActivityLogSchema } from '#contracts/public-api/activity-logs';
import { expandedAdminLogSchema } from '#contracts/public-api/admin-logs';
import type { NoteAction } from '#platform/notes/log-note';
import { filtersOf, keptActions, logPath, readLogState, stateOfOther } from '../../../src/console/log/log-state.ts';
import { factsOf, whatWasDone } from '../../../src/console/log/log-words.ts';
import { en as first } from '../../../src/console/messages/en.ts';
import { later } from '../../../src/console/messages/en-later.ts';

const named = <Kind extends string>(object: Kind, name: string) => ({ object, name });
const ada = { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada' } as const;
const createdAt = '2026-01-02T03:04:05.678Z';

const en = { ...first, ...later };

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
    const approval = (state: string) => ({ resource: 'approval', newValue: { user: ada, state } });
    expect(of(approval('asked'))).toBe('Approval, added: Ada');
    expect(of({ ...approval('granted'), type: 'update' })).toBe('Approval, granted: Ada');
    expect(of({ ...approval('lapsed'), type: 'update' })).toBe('Approval, lapsed: Ada');
    expect(of({ type: 'update', resource: 'environment-secret' })).toBe('Secret of an environment, changed');
  });

  it('leaves nothing out that the row says, and shows no empty fact', () => {
    const facts = new Map(factsOf({ ...act, recordIds: ['1', '2'], fields: [] }, en));
    expect([...facts.keys()]).toEqual([
      ...['Id', 'Kind', 'What', 'Time', 'About', 'Records', 'Collection', 'Person', 'Environment', 'Team'],
      ...['Program', 'Tool', 'Took (milliseconds)'],
    ]);
    expect([facts.get('Records'), facts.get('Person'), facts.get('Took (milliseconds)')]).toEqual([
      '1, 2',
      'Ada · ada@example.test',
      '0',
    ]);
  });

  it('has a word for every fact that a row can have', () => {
    const facts = [expandedActivityLogSchema, expandedAdminLogSchema].flatMap(({ shape }) => Object.keys(shape));
    expect(new Set(facts).difference(new Set(['object', ...Object.keys(en.auditLog.facts)]))).toEqual(new Set());
  });

  it('has words for every value that is one of a few', () => {
    const { shape: activity } = expandedActivityLogSchema;
    const { shape: admin } = expandedAdminLogSchema;
    const { auditLog } = en;
    const words = [
      [activity.type, auditLog.types],
      [activity.action, auditLog.actions],
      [activity.status.unwrap(), auditLog.outcomes],
      [activity.source.unwrap(), auditLog.sources],
      [activity.consent.unwrap(), auditLog.consents],
      [admin.type, auditLog.changes],
      [admin.resource, auditLog.resources],
      [admin.initiator, auditLog.initiators],
    ] as const;
    expect(words.map(([{ options }, known]) => options.filter((option) => !Object.hasOwn(known, option)))).toEqual(
      words.map(() => []),
    );
  });

  it('shows words in place of the names of the API', () => {
    const more = {
      source: 'rest',
      status: 'completed',
      rendering: { id: 3, name: 'Operations' },
      codeVersion: 7,
    } as const;
    const facts = new Map(factsOf({ ...act, ...more, recordIds: [], fields: [] }, en));
    const shown = ['Kind', 'What', 'Through', 'Outcome', 'Version of the code'].map((name) => facts.get(name));
    expect(shown).toEqual([
      ...['Writes', 'Ran an action', 'The console, the command line or the REST API', 'done', '7'],
    ]);
    // The view is that of the team.
    expect(facts.has('View of the team')).toBe(false);
  });

  it('has a word for every fact of the configuration', () => {
    type Name<Value> = Value extends object ? keyof Value : never;
    type Listed = 'sentences' | 'more' | 'digest';
    const words: Readonly<Record<Exclude<Name<AdminValues[keyof AdminValues]>, Listed | number | symbol>, string>> =
      en.auditLog.valueNames;
    expect(Object.values(words).every((word) => /^[a-z][a-z -]+$/.test(word))).toBe(true);
  });

  it('shows the sentences of a change without the names that programs have for them', () => {
    const sentences = ['Operations may browse orders', 'Support may not edit orders'];
    const change = { object: 'adminLog', id: 'b1', type: 'update', resource: 'rights', createdAt } as const;
    const inLines = (newValue: Record<string, unknown>) =>
      new Map(factsOf({ ...change, initiator: 'administrator', newValue }, en)).get('After');
    expect(inLines({ revision: 4, sentences, more: 0 })).toBe(
      'revision: 4\nOperations may browse orders\nSupport may not edit orders',
    );
    expect(inLines({ digest: 'ab', sentences: sentences.slice(0, 1), more: 2 })).toBe(
      'Operations may browse orders\nand 2 more',
    );
    expect(inLines({ isLimited: true, addresses: ['10.0.0.1'], more: 0 })).toBe(
      'only from these addresses: yes\naddresses: 10.0.0.1',
    );
  });

  it('tells before and after in lines', () => {
    const newValue = { id: 3, name: 'Nightly', allowedCidrs: ['10.0.0.0/8'], expiresAt: null, user: ada };
    const change = { object: 'adminLog', id: 'b1', type: 'add', resource: 'api-token', createdAt, newValue } as const;
    const facts = new Map(factsOf({ ...change, initiator: 'administrator' }, en));
    expect(facts.get('After')).toBe('number: 3\nname: Nightly\nnetworks: 10.0.0.0/8\nperson: Ada · ada@example.test');
  });
});

it('the filter by what somebody did offers what a log can hold, and nothing else', () => {
  const ofNotes: readonly NoteAction[] = ['createNote', 'createMessage', 'updateNote', 'deleteNote'];
  expect(new Set(keptActions)).toEqual(new Set([...Object.keys(activityTypes), ...ofNotes]));
});
