import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type TriedClient, triedClients } from '../compatibility/clients.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const run = promisify(execFile);
const programs = path.resolve(import.meta.dirname, '../compatibility/clients');
const isAsked = process.env['COMPATIBILITY'] === '1';

/** What a program in `clients` prints. */
interface Outcome {
  readonly tools: number;
  readonly read: unknown;
  readonly failed: boolean;
}

async function outcomeOf({ program = '', packages = {} }: TriedClient): Promise<Outcome> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'package.json': JSON.stringify({ private: true, type: 'module', dependencies: packages }),
  });
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  await copyFile(path.join(programs, program), path.join(folder, program));
  const { mcpUrl, mcpToken } = await startShopAgent();
  const env = { ...process.env, MCP_URL: mcpUrl, MCP_TOKEN: mcpToken };
  const { stdout } = await run(process.execPath, [program], { cwd: folder, env, timeout: 120_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

function rowOf({ name, version, program, tellsFailures, note }: TriedClient): string {
  const failures = tellsFailures ? 'as a failure' : 'as a text';
  const outcome = program === undefined ? 'not run | |' : `works | ${failures} |`;
  return `| ${name} | ${version} | ${outcome} ${note} |`;
}

it('the page about clients has a row for each that was tried, and for each that was not', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/compatibility.md'), 'utf8');
  const [clients = ''] = page.split('\n## The commands as clients\n');
  const rows = clients.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| client'));
  expect(rows).toEqual(triedClients.map(rowOf));
});

const why = isAsked ? '' : ' (skipped: COMPATIBILITY=1 installs the clients from npm and runs them)';
describe.skipIf(!isAsked)(`a client of others${why}`, () => {
  const tried = triedClients.filter(({ program }) => program !== undefined);
  it.each(tried.map((client) => [`${client.name} ${client.version}`, client] as const))(
    'lists the tools, reads records and sees a failed call: %s',
    async (_name, client) => {
      const { tools, read, failed } = await outcomeOf(client);
      expect(tools).toBe(10);
      expect(JSON.stringify(read)).toContain('Zed');
      expect(failed).toBe(client.tellsFailures);
    },
  );
});
