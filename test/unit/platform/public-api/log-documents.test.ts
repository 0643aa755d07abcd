import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { adminLogValues } from '#contracts/public-api/admin-logs';
import { adminLog } from '#platform/log-api/log-documents';

const place = {
  chain: 'c',
  version: 1 as const,
  sequence: 1,
  recordedAt: '2026-11-27T00:00:00.000Z',
  createdAt: '2026-11-27T00:00:00.000Z',
};
const ada = { object: 'user' as const, id: 1, email: 'ada@example.test', username: 'Ada' };
const base = {
  object: 'adminLog' as const,
  id: '1',
  type: 'update' as const,
  initiator: 'platform' as const,
  ...place,
};

/** As the description of the API has them. */
const named = <Kind extends string>(object: Kind) => z.strictObject({ object: z.literal(object), name: z.string() });
const member = z.strictObject({
  user: z.strictObject({ object: z.literal('user'), id: z.int(), email: z.string(), username: z.string() }),
  permissionLevel: z.string(),
  tags: z.array(z.strictObject({ key: z.string(), value: z.string() })),
  role: named('role'),
  teams: z.array(named('team')),
});
const environment = z.strictObject({ name: z.string(), codeCustomizationVersion: z.number() });

describe('a change of the configuration in the public API', () => {
  it('tells the role and the teams of a member as objects of their kind', () => {
    const newValue = {
      user: ada,
      permissionLevel: 'admin' as const,
      tags: [],
      role: { name: 'Admins' },
      teams: [{ name: 'Sales' }],
    };
    const shown = adminLog({ entry: { ...base, resource: 'user-project', newValue }, hash: '', status: null });
    expect(member.parse(shown.newValue)).toMatchObject({
      role: { object: 'role', name: 'Admins' },
      teams: [{ object: 'team', name: 'Sales' }],
    });
    adminLogValues['user-project'].parse(shown.newValue);
    expect(shown).not.toHaveProperty('previousValue');
  });

  it('tells the version of an environment as a number, and 0 before the first one', () => {
    const previousValue = { name: 'production', codeCustomizationVersion: null };
    const newValue = { name: 'production', codeCustomizationVersion: '12' };
    const shown = adminLog({
      entry: { ...base, resource: 'environment', previousValue, newValue },
      hash: '',
      status: null,
    });
    expect(environment.parse(shown.previousValue).codeCustomizationVersion).toBe(0);
    expect(environment.parse(shown.newValue).codeCustomizationVersion).toBe(12);
    adminLogValues.environment.parse(shown.newValue);
  });
});
