import { expect, it } from 'vitest';
import { maxResultCharacters } from '#contracts/approvals';
import { keptResult } from '#runtime/actions/approval-request';

it('an answer keeps its words, and no secret, file or page that is too long', () => {
  expect(keptResult(undefined)).toEqual({ type: 'success' });
  expect(keptResult({ type: 'success', message: 'Sent.', html: '<b>1</b>', invalidated: ['lines'] })).toEqual({
    ...{ type: 'success', message: 'Sent.', html: '<b>1</b>' },
  });
  expect(keptResult({ type: 'error', message: 'No stock.' })).toEqual({ type: 'error', message: 'No stock.' });
  const long = 'x'.repeat(maxResultCharacters + 1);
  const cut = keptResult({ type: 'success', message: long, html: long, invalidated: [] });
  expect(cut).toEqual({ type: 'success', message: long.slice(1), isHtmlLeftOut: true });
  const url = 'https://hooks.example.test/?token=secret';
  expect(keptResult({ type: 'webhook', url, method: 'POST', headers: {}, body: {} })).toEqual({ type: 'webhook' });
  expect(keptResult({ type: 'file', content: 'a;b', name: 'slip.csv', mimeType: 'text/csv' })).toEqual({
    ...{ type: 'file', fileName: 'slip.csv' },
  });
  expect(keptResult({ type: 'redirect', path: '/orders/4' })).toEqual({ type: 'redirect', path: '/orders/4' });
});
