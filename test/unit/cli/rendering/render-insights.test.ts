import { expect, it } from 'vitest';
import { renderInsights } from '#cli/rendering/render-insights';
import type { ReadInsights } from '#flows/insights/read-insights';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

const insights: ReadInsights = {
  agentUrl: 'http://[::1]',
  since: '2026-04-01T10:00:00.000Z',
  workers: { count: 2, answered: 2, allSince: '2026-04-01T10:00:00.000Z' },
  calls: 9,
  otherCalls: 0,
  slowerThanMs: 100,
  bucketsMs: [],
  queries: [],
  indexes: [],
  unused: { collections: [], fields: [], customizations: [] },
  file: null,
  unneededRights: {
    ...{ days: 30, sentences: [], logSince: '2026-04-03T09:30:00.000Z' },
    unjudged: [{ sentence: 'Role "Support" may delete "orders"', setAt: '2026-04-04T09:55:00.000Z' }],
  },
};

it('insights say how many workers have counted, and since when all of them do', () => {
  expect(renderInsights(insights, plainTerminal())).toContain('are those of all 2 workers of the host.');
  const workers = { count: 2, answered: 1, allSince: '2026-04-02T10:00:00.000Z' };
  const text = renderInsights({ ...insights, workers }, plainTerminal());
  expect(text).toContain('are those of 1 of 2 workers of the host.');
  expect(text).toContain('One of them began at 2026-04-02 10:00 UTC');
});

it('insights name rights that are too new to judge, with the age of the log', () => {
  const text = renderInsights(insights, plainTerminal());
  expect(text).toContain('- Role "Support" may delete "orders" (set at 2026-04-04 09:55 UTC)');
  expect(text.replaceAll(/\s+/g, ' ')).toContain('The log begins at 2026-04-03 09:30 UTC.');
});
