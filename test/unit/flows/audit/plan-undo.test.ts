import { describe, expect, it } from 'vitest';
import { recordKey, type TiesOfWrites, undoConflicts, type WriteToUndo } from '#flows/audit/undo/plan-undo';

const at = (sequence: number, before: object | null, after: object | null, recordId = '1'): WriteToUndo => ({
  ...{ collection: 'orders', recordId, sequence },
  action: before && after ? 'update' : after ? 'create' : 'delete',
  before: before as WriteToUndo['before'],
  after: after as WriteToUndo['after'],
});
const now = (values: object | null, recordId = '1') =>
  [recordKey({ collection: 'orders', recordId }), values as WriteToUndo['before']] as const;

describe('the conflicts of an undo', () => {
  it('need each write to find its record as taking back the later one has made it', () => {
    const writes = [
      at(5, { id: 1, status: 'sent', total: 3 }, null),
      at(4, { status: 'paid' }, { status: 'sent' }),
      at(3, { status: 'open', total: 2 }, { status: 'paid', total: 3 }),
      at(2, null, { id: 2, status: 'open' }, '2'),
    ];
    const records = new Map([now(null), now({ id: 2, status: 'open', total: null }, '2')]);
    expect(undoConflicts(writes, { now: records, later: [] })).toEqual([]);
  });

  it('name what leads to a record that goes, and what is gone that a value leads to, as the undo itself has left them', () => {
    const writes = [
      at(9, { id: 4, parent: 2 }, null, '4'),
      at(8, null, { id: 3, parent: 2 }, '3'),
      at(7, { parent: 7 }, { parent: 1 }),
      at(6, null, { id: 2 }, '2'),
    ];
    const [again, third, link, second] = writes as [WriteToUndo, WriteToUndo, WriteToUndo, WriteToUndo];
    const order = { id: 1, parent: 1 };
    const records = new Map([now(order), now({ id: 2 }, '2'), now({ id: 3, parent: 2 }, '3'), now(null, '4')]);
    const fields = [{ name: 'parent', of: 'id' }];
    const key = { collection: 'orders', rule: 'refuse', fields, hasMore: false } as const;
    const leadsToNothing = { referring: [], targets: [] };
    const ties = new Map([
      [again, { referring: [], targets: [{ collection: 'orders', recordId: '2', isMissing: false }] }],
      [third, { referring: [{ ...key, recordIds: [] }], targets: [] }],
      [link, { referring: [], targets: [{ collection: 'orders', recordId: '7', isMissing: true }] }],
      // The third goes before it, the fourth comes back before it, and nobody touches the fifth.
      [
        second,
        {
          referring: [
            { ...key, recordIds: ['3', '5'] },
            { ...key, rule: 'cascade', recordIds: [], hasMore: true },
          ],
          targets: [],
        },
      ],
    ]) as TiesOfWrites;
    const problems = undoConflicts(writes, { now: records, later: [], ties }).map(({ sequence, problem }) => [
      sequence,
      problem,
    ]);
    expect(problems).toEqual([
      [7, 'It led to orders 7, which is not there.'],
      [6, 'The database keeps it, because these lead to it: orders 5, orders 4.'],
      [6, 'The database would delete these along: orders 4, others.'],
    ]);
    const free = new Map(writes.map((write) => [write, leadsToNothing]));
    expect(undoConflicts(writes, { now: records, later: [], ties: free })).toEqual([]);
  });

  it('count the links that others have written, and the records that they have deleted, though an own write conflicts with them', () => {
    const writes = [
      at(9, { link: null }, { link: 2 }, '4'),
      at(8, { label: 'a' }, { label: 'b' }, '5'),
      at(7, { link: 5 }, { link: null }, '6'),
      at(6, null, { id: 3 }, '3'),
      at(5, null, { id: 2 }, '2'),
    ];
    const [, , lost, , second] = writes as [WriteToUndo, WriteToUndo, WriteToUndo, WriteToUndo, WriteToUndo];
    const records = new Map([
      ...[now({ id: 2 }, '2'), now({ id: 3, link: 2 }, '3'), now({ id: 4, link: 2 }, '4')],
      ...[now(null, '5'), now({ id: 6, link: null }, '6')],
    ]);
    const of = (recordId: string, sequence: number, action: string, fields: string[] = []) => ({
      ...{ collection: 'orders', recordId, sequence, action, fields },
    });
    const later = [
      of('4', 10, 'update', ['link']),
      of('5', 10, 'delete'),
      of('3', 10, 'delete'),
      of('3', 11, 'create', ['link']),
    ];
    const fields = [{ name: 'link', of: 'id' }];
    const ties: TiesOfWrites = new Map([
      [lost, { referring: [], targets: [{ collection: 'orders', recordId: '5', isMissing: true }] }],
      [
        second,
        {
          referring: [{ collection: 'orders', rule: 'refuse', fields, recordIds: ['3', '4'], hasMore: false }],
          targets: [],
        },
      ],
    ]);
    expect(
      undoConflicts(writes, { now: records, later, ties }).map(({ sequence, problem }) => [sequence, problem]),
    ).toEqual([
      [9, 'link was written again in row 10.'],
      [8, 'It is not there any more.'],
      [7, 'It led to orders 5, which is not there.'],
      [6, 'Somebody deleted it in row 10.'],
      [6, 'Somebody made it again in row 11.'],
      [5, 'The database keeps it, because these lead to it: orders 3, orders 4.'],
    ]);
  });

  it('are all told: changed fields, records that are gone, and keys that are taken again', () => {
    const writes = [
      at(5, { status: 'open', total: 2 }, { status: 'paid', total: 3 }),
      at(4, { status: 'open' }, { status: 'paid' }, '2'),
      at(3, { id: 3 }, null, '3'),
      at(2, { status: 'draft' }, { status: 'open' }),
    ];
    const records = new Map([now({ status: 'sent', total: 4 }), now(null, '2'), now({ id: 3 }, '3')]);
    expect(
      undoConflicts(writes, { now: records, later: [] }).map(({ sequence, problem }) => [sequence, problem]),
    ).toEqual([
      [5, 'status was "paid" after the write and is "sent" now.'],
      [5, 'total was 3 after the write and is 4 now.'],
      [4, 'It is not there any more.'],
      [3, 'It was deleted, and there is a record with this key again.'],
    ]);
  });
});
