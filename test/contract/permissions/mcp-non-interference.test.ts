import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { type Ask, compareAnswers, nothingSeen } from './compare-answers.ts';
import { toolOf } from './mcp-request.ts';
import { requestArbitrary } from './requests.ts';
import { rightsArbitrary } from './rights.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(100)],
  ['SQLite', openSqliteTables, randomRuns(50)],
];

const ask: Ask = (agent, request) => {
  const call = toolOf(request);
  return call && agent.askTool(call);
};

describe.each(engines)('the tools of an agent on %s', (_engine, open, numRuns) => {
  it('refuse what the REST API refuses, and never answer by what the caller cannot read', async () => {
    const seen = nothingSeen();
    const requests = fc.array(requestArbitrary, { minLength: 20, maxLength: 20 });
    const property = fc.asyncProperty(rightsArbitrary, requests, (rights, drawn) =>
      compareAnswers(open, rights, drawn, ask, seen),
    );
    await fc.assert(property, { numRuns });
    // A property that is never put to the test holds as well.
    expect(Math.min(seen.refused, seen.answered, seen.compared)).toBeGreaterThan(numRuns);
  });
});
