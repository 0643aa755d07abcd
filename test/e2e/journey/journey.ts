import { strict as assert } from 'node:assert';
import { connect } from 'node:net';
import { bootstrapAndServe } from './bootstrap-and-serve.ts';
import { breakTheCode } from './break-the-code.ts';
import { editTheCode, renameAColumn } from './change-the-code.ts';
import { checkAndTest, planAndPush, pushAndRollBack } from './deliver.ts';
import { findWhoDeleted, readTheLogs } from './look-back.ts';
import { stop } from './stop.ts';
import { askTheAssistantsServer, keepTokensApart, readAndWrite } from './use-the-agent.ts';

/**
 * The day of a user from one end to the other, through the packed binary: create a project, serve it, change its code and a table,
 * test, push, roll back, find out who deleted a record, stop. A program of its own, so that it can run as a whole where no address
 * but loopback is reachable.
 *
 * Usage: node journey.ts <bin> <empty folder> [--expect-offline]
 */
const [bin = '', folder = '', mode] = process.argv.slice(2);
const report: Record<string, unknown> = {};

if (mode === '--expect-offline') {
  await assertOffline();
  report['offline'] = true;
}
const project = await bootstrapAndServe(bin, folder);
const { category, ...rest } = await readAndWrite(project);
report['rest'] = rest;
report['mcp'] = await askTheAssistantsServer(project);
await keepTokensApart(project);
report['reloads'] = await editTheCode(project);
await renameAColumn(project);
report['checked'] = await checkAndTest(project);
const { version, author } = await planAndPush(project);
report['version'] = version;
report['broken'] = await breakTheCode(project);
report['rolledBack'] = await pushAndRollBack(project);
await readTheLogs(project);
report['audit'] = await findWhoDeleted(project, category, author);
report['stop'] = await stop(project);
process.stdout.write(`${JSON.stringify(report)}\n`);

/** An address of a documentation network: no route means that only loopback can be reached. */
async function assertOffline(): Promise<void> {
  const code = await new Promise<string>((resolve) => {
    const socket = connect({ host: '192.0.2.1', port: 443, timeout: 1_000 });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.on('connect', () => resolve('connected'));
    socket.on('timeout', () => resolve('timeout'));
  });
  assert.equal(code, 'ENETUNREACH');
}
