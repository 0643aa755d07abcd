import { describe, expect, it } from 'vitest';
import { createPageCursors } from '#runtime/surfaces/mcp/tools/page-cursors';

const cursors = createPageCursors('the auth secret of a test, long enough');
const list = [7, 'orders', { filter: 'status' }];

describe('the cursor of a page', () => {
  it('says where its list goes on', () => {
    for (const place of [{ skip: 0 }, { skip: 100_000_000 }, { skip: 15, after: 7 }, { skip: 1, after: '12.5' }]) {
      expect(cursors.read(cursors.issue(place, list), list)).toEqual(place);
    }
    const restarted = createPageCursors('the auth secret of a test, long enough');
    expect(restarted.read(cursors.issue({ skip: 15 }, list), list)).toEqual({ skip: 15 });
  });

  it.each([
    ['another list', (cursor: string) => cursor, [7, 'orders', { filter: 'total' }]],
    ['another person', (cursor: string) => cursor, [8, 'orders', { filter: 'status' }]],
    ['another place', (cursor: string) => cursor.replace(/^[^.]*/, Buffer.from('[16]').toString('base64url')), list],
    ['another signature', (cursor: string) => `${cursor.slice(0, -2)}AA`, list],
    ['a shorter signature', (cursor: string) => cursor.slice(0, -4), list],
    ['no signature', () => 'f', list],
    ['nothing', () => '', list],
  ])('is refused for %s', (_case, change, asked) => {
    const cursor = change(cursors.issue({ skip: 15 }, list));
    expect(() => cursors.read(cursor, asked)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it('is refused by an agent with another secret', () => {
    const others = createPageCursors('another auth secret of a test, as long');
    expect(() => cursors.read(others.issue({ skip: 15 }, list), list)).toThrow('does not belong');
  });
});
