import { expect, it } from 'vitest';
import { renderSwap } from '#cli/rendering/render-deployments';
import { createStyle } from '#cli/terminal/terminal';
import type { Swap } from '#flows/deployments/swap-confirmation';

const code = { digest: 'a'.repeat(64), sizeBytes: 1, gitCommit: null };
const served = (number: number): Swap['target'] => ({
  deployment: null,
  version: {
    ...code,
    number,
    contentDigest: code.digest,
    message: `note ${number}`,
    author: { name: 'Ada', email: 'ada@example.test' },
    createdAt: '2031-03-04T09:10:11.000Z',
    builtWith: '0.1.0',
  },
});
const swap: Swap = {
  environment: 'production',
  current: served(2),
  target: served(1),
  changes: {
    version: 1,
    replacing: 2,
    isBreaking: true,
    code: { before: code, after: code },
    schema: [{ change: 'removed', words: 'action Refund of orders', isBreaking: true }],
    dashboards: [{ change: 'added', words: 'Sales (sales)', isBreaking: false }],
    settings: [],
    rights: null,
  },
};
const linesOf = (changed: Partial<Swap>) => renderSwap({ ...swap, ...changed }, createStyle(false)).split('\n');

it('a rollback shows what it undoes before it asks', () => {
  expect(linesOf({}).slice(1, 5)).toEqual([
    '+ version 1 (2031-03-04 09:10, Ada) “note 1”',
    '  - action Refund of orders (breaking)',
    '  + Sales (sales)',
    '! Some changes may break what others rely on.',
  ]);
  expect(linesOf({ changes: null })).toHaveLength(3);
});

it('a rollback says that nobody knows what changes where an older command line pushed a version', () => {
  const changes = swap.changes && { ...swap.changes, schema: null, dashboards: null, isBreaking: false };
  expect(linesOf({ changes })[2]).toBe(
    '  What changes of the schema is not known: an older command line pushed one of the two.',
  );
});
