import type { ActivityEntry } from '#contracts/audit/rows';

export const collections = Array.from({ length: 40 }, (_, index) => `collection_${index}`);
export const teams = ['Operations', 'Support', 'Finance'] as const;
export const users = Array.from({ length: 500 }, (_, index) => ({
  object: 'user' as const,
  id: index + 1,
  email: `person${index}@example.test`,
  username: `Person ${index}`,
}));
const reads = ['index', 'read', 'search', 'filter', 'listRelatedData'] as const;
const writes = ['update', 'update', 'create', 'action', 'delete'] as const;

/** A number from 0 to 1 that depends on `seed` only. */
export function drawn(seed: number): number {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) ^ Math.imul(seed + 0x9e3779b9, 0x297a2d39);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}

const of = <Item>(items: readonly Item[], share: number): Item =>
  items[Math.floor(share * share * items.length)] as Item;

/** An act as an agent reports it. Some people and collections are far busier than others. */
export function entryNumber(index: number): ActivityEntry {
  const isWrite = drawn(index * 7 + 1) < 0.2;
  const recordId = String(Math.floor(drawn(index * 7 + 2) * 200_000));
  return {
    object: 'activityLog',
    id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    type: isWrite ? 'write' : 'read',
    action: of(isWrite ? writes : reads, drawn(index * 7 + 3)),
    collection: { object: 'collection', name: of(collections, drawn(index * 7 + 4)) },
    recordIds: isWrite ? [recordId] : [],
    recordCount: isWrite ? 1 : null,
    ...(isWrite ? { fields: ['status', 'updated_at'] } : {}),
    user: of(users, drawn(index * 7 + 5)),
    team: { object: 'team', name: of(teams, drawn(index * 7 + 6)) },
    role: 'Operator',
    environment: { object: 'environment', name: 'development' },
    rendering: { id: 1, name: 'Operations' },
    source: 'rest',
    status: drawn(index * 7) < 0.99 ? 'completed' : 'failed',
    correlationId: `c${index.toString(36)}`,
    occurredAt: '2026-01-01T00:00:00.000Z',
    durationMs: 12,
  };
}
