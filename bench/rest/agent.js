// What is measured: an agent in production mode on the built package, in a process of its own.
import './profile.js';
import { createAgent, createSqlDataSource } from '@vendor/cloud/agent';

const { DATABASE_URL, SERVER_URL, AUTH_SECRET, SCHEMA_PATH, SHARE_CONNECTIONS, ACTIVITY_OUTBOX } = process.env;
const options = {
  authSecret: AUTH_SECRET,
  envSecret: 'b'.repeat(64),
  schemaPath: SCHEMA_PATH,
  serverUrl: SERVER_URL,
  loggerLevel: 'Error',
  ...(ACTIVITY_OUTBOX === 'no' ? { activityOutbox: false } : {}),
};
const source = createSqlDataSource(DATABASE_URL, { poolSize: 10, shareConnections: SHARE_CONNECTIONS !== 'no' });
await createAgent(options).addDataSource(source).generateSchemaOnly();
const agent = createAgent({ ...options, isProduction: true })
  .addDataSource(source)
  .mountOnStandaloneServer(0)
  .mountAiMcpServer({ limits: { callsPerMinute: null } });
await agent.start();
process.stdout.write(`${JSON.stringify({ port: agent.standaloneServerPort })}\n`);
