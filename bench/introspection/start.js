// What is measured: a process that makes schema and typings of a database, with the built package, and says what it took.
import { createAgent, createSqlDataSource } from '@vendor/cloud/agent';

const [uri, folder] = process.argv.slice(2);
const begin = performance.now();
const agent = createAgent({
  authSecret: 'a'.repeat(64),
  envSecret: 'b'.repeat(64),
  schemaPath: `${folder}/schema.json`,
  typingsPath: `${folder}/typings.d.ts`,
}).addDataSource(createSqlDataSource(uri, { catalogueCache: `${folder}/catalogue.json` }));
await agent.generateSchemaOnly();
const seconds = (performance.now() - begin) / 1000;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
process.stdout.write(JSON.stringify({ seconds, cpuSeconds, rssMb: maxRSS / 1024 }));
process.exit();
