import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitmentsOf } from '#contracts/audit/disclosures';
import type { ActivityEntry } from '#contracts/audit/rows';
import { canonicalJson } from '#kernel/json/canonical-json';
import { partsOf } from '#platform/audit/chain-row';

const time = '2026-01-02T03:04:05.678Z';
const place = { chain: 'c', sequence: 7, createdAt: time, recordedAt: time, version: 2 } as const;
const needed = {
  object: 'activityLog',
  id: 'x',
  type: 'write',
  action: 'update',
  recordIds: ['7', 'ünïcode "'],
  recordCount: 2,
  user: { username: 'Ada\n', object: 'user', id: 7, email: 'ada@example.test' },
  team: { object: 'team', name: 'Operations' },
  role: 'Operator',
  environment: { object: 'environment', name: 'production' },
  source: 'mcp',
  status: 'completed',
  occurredAt: time,
  durationMs: 1.5,
} as const satisfies ActivityEntry;
const optional = {
  label: 'Ship',
  collection: { object: 'collection', name: 'orders' },
  fields: ['status'],
  rendering: { name: 'Operations', id: 3 },
  client: { object: 'client', name: 'Claude', id: 'c1' },
  tool: 'update',
  consent: 'platform',
  approval: 4,
  undoes: 'y',
  codeVersion: 12,
  correlationId: 'z',
  tokenId: 't',
} as const satisfies Required<Omit<ActivityEntry, keyof typeof needed>>;

describe('the row of an act', () => {
  it('is canonical JSON of the whole act, with a commitment in place of the person', () => {
    fc.assert(
      fc.property(fc.subarray(Object.keys(optional)), (names) => {
        const members = Object.fromEntries(Object.entries(optional).filter(([name]) => names.includes(name)));
        const { body, disclosed } = partsOf({ ...needed, ...members }, place);
        const { user, ...others } = needed;
        const committed = commitmentsOf(disclosed, place.sequence);
        expect(body).toBe(canonicalJson({ ...others, ...members, ...place, committed }));
        const [salt, told] = (JSON.parse(disclosed ?? '') as { readonly user: readonly [string, unknown] }).user;
        expect(disclosed).toBe(canonicalJson({ user: [salt, user] }));
        expect(told).toEqual(user);
      }),
    );
  });
});
