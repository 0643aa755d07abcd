/**
 * An agent in a process of its own, so that a test can kill it: `agent-process.ts FOLDER PLATFORM_URL [required]`. The last word
 * says that it has to record a write before it begins. The folder holds `shop.sqlite`. It starts when it reads something, prints its address and a token as JSON once
 * it is ready, and stops when its standard input ends.
 */
import { once } from 'node:events';
import path from 'node:path';
import { systemClock } from '#node/system/system-clock';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createAgent, createSqlDataSource } from '../../../src/exports/agent.ts';

const [, , folder = '', serverUrl = '', mode = ''] = process.argv;
const authSecret = 'the auth secret of an agent that is killed';
const agent = createAgent({
  authSecret,
  envSecret: 'e'.repeat(64),
  serverUrl,
  schemaPath: path.join(folder, 'schema.json'),
  skipSchemaUpdate: true,
  activityRequired: mode === 'required',
  logger: () => undefined,
  // All writers are one person, and a busy machine makes each of their writes a slow request.
  limits: { slowSecondsPerMinute: null },
})
  .addDataSource(createSqlDataSource(`sqlite:${path.join(folder, 'shop.sqlite')}`))
  .mountOnStandaloneServer(0);
process.stdin.on('end', () => void agent.stop());
await once(process.stdin, 'data');
await agent.start();
const token = await createSessionTokens(authSecret, systemClock, () => false).issue({
  id: 7,
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  team: 'Operations',
  role: 'Operations',
  permissionLevel: 'admin',
  renderingId: 3,
  tags: {},
});
console.log(JSON.stringify({ agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token }));
