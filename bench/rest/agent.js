// What is measured: an agent in production mode on the built package, in a process of its own.
import './profile.js';
import { createAgent, createSqlDataSource } from '@vendor/cloud/agent';

const {
  DATABASE_URL,
  SERVER_URL,
  AUTH_SECRET,
  SCHEMA_PATH,
  SHARE_CONNECTIONS,
  SILENT_TOO,
  DEFAULT_LIMITS,
  IS_SILENT,
  REPLICAS,
} = process.env;
// One person sends all of the load. Where the machine is slow, the bounds of a person would refuse it.
const limits = DEFAULT_LIMITS === 'yes' ? {} : { slowSecondsPerMinute: null };
const options = {
  authSecret: AUTH_SECRET,
  envSecret: 'b'.repeat(64),
  schemaPath: SCHEMA_PATH,
  serverUrl: SERVER_URL,
  loggerLevel: 'Error',
  limits,
  ...(IS_SILENT === 'yes' ? { logger: () => undefined } : {}),
};
const shared = { poolSize: 10, shareConnections: SHARE_CONNECTIONS !== 'no' };
const replicas = REPLICAS === undefined ? {} : { replicas: { uris: REPLICAS.split(' ') } };
const source = () => createSqlDataSource(DATABASE_URL, { ...shared, ...replicas });
await createAgent(options).addDataSource(source()).generateSchemaOnly();

async function serve(more = {}) {
  const agent = createAgent({ ...options, isProduction: true, ...more })
    .addDataSource(source())
    .mountOnStandaloneServer(0)
    .mountAiMcpServer(DEFAULT_LIMITS === 'yes' ? {} : { limits: { callsPerMinute: null } });
  await agent.start();
  return agent.standaloneServerPort;
}

const port = await serve();
const silentPort = SILENT_TOO === 'yes' ? await serve({ activityOutbox: false }) : undefined;
const lazyPort = SILENT_TOO === 'yes' ? await serve({ activityOutbox: { durableWrites: false } }) : undefined;
process.stdout.write(`${JSON.stringify({ port, silentPort, lazyPort })}\n`);
