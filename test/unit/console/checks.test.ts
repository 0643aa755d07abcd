import { expect, it } from 'vitest';
import type { Check } from '#contracts/checks';
import { verdictOn } from '../../../src/console/checks/verdict.ts';
import { checks as messages } from '../../../src/console/messages/en-checks.ts';

const verdict = (...statuses: readonly Check['status'][]) =>
  verdictOn(
    statuses.map((status) => ({ status })),
    messages,
  );

it('the doctor says that nothing is in the way where all was looked at, and nothing more than that', () => {
  expect(verdict('ok', 'ok')).toEqual({ kind: 'success', title: 'Nothing is in the way' });
  expect(verdict('ok', 'skipped')).toEqual({
    kind: 'success',
    title: 'Nothing is in the way as far as somebody could look: 1 of these was left out',
  });
  expect(verdict('skipped', 'skipped', 'ok').title).toMatch(/: 2 of these were left out$/);
  expect(verdict('warning', 'skipped', 'ok')).toEqual({
    kind: 'warning',
    title: 'Nothing is in the way, but there are warnings',
  });
  expect(verdict('ok', 'failed', 'warning')).toEqual({ kind: 'danger', title: 'Something is in the way' });
});
