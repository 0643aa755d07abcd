import { describe, expect, it } from 'vitest';
import { recordKey, undoConflicts, type WriteToUndo } from '#flows/audit/undo/plan-undo';

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
    expect(undoConflicts(writes, records, [])).toEqual([]);
  });

  it('are all told: changed fields, records that are gone, and keys that are taken again', () => {
    const writes = [
      at(5, { status: 'open', total: 2 }, { status: 'paid', total: 3 }),
      at(4, { status: 'open' }, { status: 'paid' }, '2'),
      at(3, { id: 3 }, null, '3'),
      at(2, { status: 'draft' }, { status: 'open' }),
    ];
    const records = new Map([now({ status: 'sent', total: 4 }), now(null, '2'), now({ id: 3 }, '3')]);
    expect(undoConflicts(writes, records, []).map(({ sequence, problem }) => [sequence, problem])).toEqual([
      [5, 'status was "paid" after the write and is "sent" now.'],
      [5, 'total was 3 after the write and is 4 now.'],
      [4, 'It is not there any more.'],
      [3, 'It was deleted, and there is a record with this key again.'],
    ]);
  });
});
