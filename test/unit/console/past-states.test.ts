import { expect, it } from 'vitest';
import type { ShownWrite } from '#contracts/history';
import { stateBefore } from '../../../src/console/record/past-states.ts';

function write(given: Partial<ShownWrite>): ShownWrite {
  return {
    ...{ sequence: 1, occurredAt: '2026-01-01T00:00:00.000Z', action: 'update', status: 'completed' },
    ...{ user: { id: 1, name: 'Ada', email: 'ada@example.test' }, fields: [], unkept: {}, isUndoable: true },
    ...given,
  };
}

it('goes back from what a record is now, write by write', () => {
  const newer = [
    write({ before: { status: 'paid' }, after: { status: 'sent' } }),
    write({ before: { status: 'open', total: 1 }, after: { status: 'paid', total: 2 }, unkept: { photo: 'Bytes.' } }),
  ];
  const { values, unknown, isUncertain } = stateBefore({ id: 7, status: 'sent', total: 2 }, newer);
  expect([values, [...unknown], isUncertain]).toEqual([{ id: 7, status: 'open', total: 1 }, ['photo'], false]);
});

it('says which fields nobody knows, until an older write tells them', () => {
  const unknown = write({ problem: 'Values were not kept.', fields: ['total', 'status'] });
  const told = write({ before: { total: 1 }, after: { total: 2 } });
  expect([...stateBefore({ total: 3 }, [unknown, told]).unknown]).toEqual(['status']);
  expect(stateBefore({ total: 3 }, [write({ problem: 'Actions run code.', action: 'action' })]).isUncertain).toBe(true);
});
