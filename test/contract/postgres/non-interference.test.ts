import fc from 'fast-check';
import { expect, it } from 'vitest';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { randomRuns } from '../../helpers/random-runs.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { compareAnswers, nothingSeen } from '../permissions/compare-answers.ts';
import { requestArbitrary } from '../permissions/requests.ts';
import { generousRightsArbitrary } from '../permissions/rights.ts';

const server = usePostgresServer();
const open: OpenTables = (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n'));

it('an agent on PostgreSQL never answers by what the caller cannot read, or what is out of scope', {
  tags: 'long',
}, async () => {
  const seen = nothingSeen();
  const requests = fc.array(requestArbitrary, { minLength: 30, maxLength: 30 });
  const property = fc.asyncProperty(generousRightsArbitrary, requests, (rights, drawn) =>
    compareAnswers(open, rights, drawn, (agent, request) => agent.ask(request), seen),
  );
  const numRuns = randomRuns(20);
  await fc.assert(property, { numRuns });
  expect(seen.compared).toBeGreaterThan(5 * numRuns);
});
