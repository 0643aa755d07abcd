import { describe, expect, it } from 'vitest';
import { createPageCursors } from '#runtime/surfaces/request/page-cursors';

const key = Buffer.alloc(32, 'k');
const cursors = createPageCursors(key);
const list = [7, 'orders', { filter: 'status' }];

function changedAt(cursor: string, index: number): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const at = index < 0 ? bytes.length + index : index;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes.toString('base64url');
}

describe('the cursor of a page', () => {
  it('says where its list goes on', () => {
    for (const place of [
      { skip: 0 },
      { skip: 100_000_000 },
      { skip: 15, values: [7] },
      { skip: 1, values: ['12.5', null, false, 'é"'] },
    ]) {
      expect(cursors.read(cursors.issue(place, list), list)).toEqual(place);
    }
    const restarted = createPageCursors(key);
    expect(restarted.read(cursors.issue({ skip: 15 }, list), list)).toEqual({ skip: 15 });
  });

  it.each([
    ['another list', (cursor: string) => cursor, [7, 'orders', { filter: 'total' }]],
    ['another person', (cursor: string) => cursor, [8, 'orders', { filter: 'status' }]],
    ['another place', (cursor: string) => changedAt(cursor, 12), list],
    ['another nonce', (cursor: string) => changedAt(cursor, 0), list],
    ['another tag', (cursor: string) => changedAt(cursor, -1), list],
    ['a part of a cursor', (cursor: string) => cursor.slice(0, -4), list],
    ['as many bytes as a cursor has beside its place', () => 'A'.repeat(38), list],
    ['a few bytes', () => 'f', list],
    ['nothing', () => '', list],
  ])('is refused for %s', (_case, change, asked) => {
    const cursor = change(cursors.issue({ skip: 15 }, list));
    expect(() => cursors.read(cursor, asked)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it('is refused by an agent with another secret', () => {
    const others = createPageCursors(Buffer.alloc(32, 'o'));
    expect(() => cursors.read(others.issue({ skip: 15 }, list), list)).toThrow('does not belong');
  });

  it('shows nothing of the values, and goes on by counting where they are too long for an address', () => {
    const sealed = cursors.issue({ skip: 15, values: ['a secret rank'] }, list);
    expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('secret');
    const long = cursors.issue({ skip: 15, values: ['x'.repeat(2_000)] }, list);
    expect(cursors.read(long, list)).toEqual({ skip: 15 });
  });
});
