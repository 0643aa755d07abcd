import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderInsights } from '#cli/rendering/render-insights';
import { createTerminal } from '#cli/terminal/terminal';
import { checkWithInsights } from '#flows/insights/check-with-insights';
import { readInsights } from '#flows/insights/read-insights';
import { processEnvironment } from '#node/environment/process-environment';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { call } from '../helpers/rest-call.ts';

describe('insights in a terminal', () => {
  it('show what was asked of the session, and check fails on a slow query that the file does not know', async () => {
    const { root, ready } = await startDevSession();
    const agent = { agentUrl: ready.agent.url, token: ready.token };
    expect((await call(agent, '/orders?sort=-total&fields[orders]=id')).status).toBe(200);
    const context = flowContext(root);
    const target = { folder: root, environment: undefined, agentUrl: undefined };
    const insights = await readInsights(context, { ...target, slowerThanMs: 0, output: 'known.json' });
    expect(insights.queries.map(({ id }) => id)).toContain('list orders by total descending');
    expect(insights.unneededRights).toEqual({ note: 'Nobody has set rights in this environment.' });

    const terminal = { ...createTerminal(processEnvironment, { isJson: false, hasColor: false }), resultColumns: 80 };
    const text = renderInsights(insights, terminal);
    expect(text).toMatch(/^1 +[\d.]+ ms +[\d.]+ ms +15\/15 +SLOW list orders by total descending$/m);
    expect(text).toContain('create index "orders_total_idx" on "orders" ("total" desc)');
    const tables = text.split('\n').filter((line) => !line.startsWith('create index') && !line.includes('http'));
    for (const line of tables) expect(line.length).toBeLessThanOrEqual(80);

    const file = path.join(root, 'known.json');
    const known = JSON.parse(await readFile(file, 'utf8'));
    expect(known).toMatchObject({ slowerThanMs: 0, slow: expect.arrayContaining(['list orders by total descending']) });
    const check = async () => {
      const { steps } = await checkWithInsights(context, { ...target, insights: 'known.json' });
      return steps.find(({ name }) => name === 'insights');
    };
    expect(await check()).toMatchObject({ state: 'passed', note: expect.stringMatching(/^\d+ calls? since/) });

    await writeFile(file, JSON.stringify({ ...known, slow: [] }));
    const failed = await check();
    expect(failed?.state).toBe('failed');
    expect(failed?.problems).toContainEqual(
      expect.objectContaining({ code: 'QUERY_SLOW', message: expect.stringContaining('list orders by total') }),
    );
  });
});
