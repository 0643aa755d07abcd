import { describe, expect, it } from 'vitest';
import { renderApprovalContent } from '#cli/rendering/render-approvals';
import type { ApprovalContent } from '#contracts/approvals';

const content: ApprovalContent = {
  id: 1,
  collection: 'orders',
  action: 'Ship',
  values: { Carrier: 'Rail' },
  records: [{ id: '2', values: { reference: 'A-2' } }],
  problem: null,
};

describe('a request for an approval in a terminal', () => {
  it('shows the form, the records, and no answer before the action has run', () => {
    expect(renderApprovalContent(content).split('\n')).toEqual([
      'Ship on orders',
      '',
      'Form',
      '  Carrier: Rail',
      '',
      'Records, as they were when somebody asked',
      '  2: reference A-2',
    ]);
  });

  it.each<[ApprovalContent['result'], readonly string[]]>([
    [{ type: 'success', message: 'Shipped.\nTwice.' }, ['  Shipped. Twice.']],
    [{ type: 'success', message: '' }, ['  Done.']],
    [{ type: 'success', message: 'Told', html: '<p>Read this</p>' }, ['  Told', '  <p>Read this</p>']],
    [{ type: 'error', message: 'Not today' }, ['  It failed: Not today']],
    [{ type: 'file', fileName: 'slip.pdf' }, ['  The file slip.pdf, which ada@example.test has.']],
    [{ type: 'redirect', path: '/done' }, ['  A way on: /done']],
  ])('says what the action has answered: %o', (result, lines) => {
    const shown = renderApprovalContent({ ...content, result, fileIsWith: 'ada@example.test' }).split('\n');
    expect(shown.slice(7)).toEqual(['', 'Answer of the action', ...lines]);
  });
});
