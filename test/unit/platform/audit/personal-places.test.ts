import { describe, expect, it } from 'vitest';
import type { AdminEntry, AuditEntry } from '#contracts/audit/rows';
import { personalPlaces } from '#platform/audit/personal-places';

const user = { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada' } as const;
const change = { object: 'adminLog', id: 'x', type: 'update', initiator: 'administrator' } as const;
const named = { name: 'Operations' };
const member = { user, permissionLevel: 'admin' as const, tags: [], role: named, teams: [named] };
const token = { user, purpose: 'login', expiresAt: 'later' };

const entries: readonly (readonly [string, AuditEntry, readonly string[]])[] = [
  [
    'an act',
    {
      ...{ object: 'activityLog', id: 'x', type: 'write', action: 'update', label: 'Ship', recordIds: ['7'] },
      ...{ recordCount: 1, user, team: { object: 'team', name: 'Operations' }, role: 'Operator' },
      ...{ environment: { object: 'environment', name: 'production' }, source: 'rest', status: 'completed' },
      ...{ correlationId: 'c', occurredAt: 'now', durationMs: 1 },
    } as AuditEntry,
    ['user'],
  ],
  ['more records of an act', { object: 'activityLogRecords', id: 'x', actSequence: 1, part: 1, recordIds: ['7'] }, []],
  ['an outcome', { object: 'activityLogOutcome', id: 'x', actSequence: 1, status: 'failed', durationMs: 1 }, []],
  ['a change by the platform', { ...change, initiator: 'platform', resource: 'team', newValue: named }, []],
  ['a change by somebody', { ...change, user, address: '::1', resource: 'team', newValue: named }, ['address', 'user']],
  [
    'a member',
    { ...change, resource: 'user-project', previousValue: member, newValue: member },
    ['newValue.user', 'previousValue.user'],
  ],
  ['a token of a person', { ...change, resource: 'access-token', newValue: token }, ['newValue.user']],
  ['a session', { ...change, resource: 'session', previousValue: { ...token, kind: 'a' } }, ['previousValue.user']],
  ['a password', { ...change, resource: 'password', newValue: { user } }, ['newValue.user']],
  [
    'a program of a person',
    { ...change, resource: 'mcp-client', newValue: { user, client: 'a', redirectUris: [], scopes: [] } },
    ['newValue.user'],
  ],
  [
    'a role or a team of a person',
    { ...change, resource: 'membership', newValue: { user, kind: 'role', name: 'a', source: 'given' } },
    ['newValue.user'],
  ],
  [
    'a role for a time',
    {
      ...{ ...change, resource: 'elevation' },
      newValue: { user, role: 'a', reason: 'Bob is ill.', minutes: 5, state: 'asked', endsAt: null },
    } as AdminEntry,
    ['newValue.reason', 'newValue.user'],
  ],
  [
    'an invitation',
    {
      ...{ ...change, resource: 'invitation' },
      newValue: {
        email: user.email,
        permissionLevel: 'user',
        role: 'a',
        team: null,
        state: 'open',
        expiresAt: 'later',
      },
    } as AdminEntry,
    ['newValue.email'],
  ],
  [
    'sentences of rights about people',
    {
      ...{ ...change, resource: 'rights' },
      newValue: {
        ...{ revision: 2, more: 0 },
        sentences: [
          'Role "a" may do nothing',
          'ada@example.test has the role "a"',
          'ada@example.test has the tag x = "y"',
          'ada@example.test has the roles "a" and "b"',
        ],
      },
    } as AdminEntry,
    ['newValue.sentences.1', 'newValue.sentences.2', 'newValue.sentences.3'],
  ],
];

describe('the places of an entry that name a person', () => {
  it.each(entries)('of %s', (_what, entry, places) => {
    expect(personalPlaces(entry)).toEqual(places);
  });
});
