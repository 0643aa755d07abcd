import { expect, it } from 'vitest';
import { checkDeployment } from '#flows/serve/check-deployment';
import { flowContext } from '../../../helpers/flow-context.ts';

it('a deployment that lacks a variable is refused with where the platform keeps it', async () => {
  const uri = `$\{NOT_SET_HERE}`;
  const hosted = {
    variablesRevision: 0,
    deployment: 1,
    version: 1,
    code: { digest: '0'.repeat(64), sizeBytes: 1 },
    dataSources: { main: { uri } },
  };
  const variables = { revision: 0, variables: {}, authSecret: '0'.repeat(64) };
  const { signal } = new AbortController();
  const check = checkDeployment(flowContext('/'), '/', hosted, new Uint8Array(), variables, signal);
  await expect(check).rejects.toMatchObject({
    code: 'PROJECT_VARIABLE_MISSING',
    nextSteps: [expect.stringContaining('vendor-cloud variables set NOT_SET_HERE --env')],
  });
});
