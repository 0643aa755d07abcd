import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { generateApi } from 'swagger-typescript-api';
import { expect, it } from 'vitest';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);
const tsc = path.resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
const strict = [
  ...['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck'],
  ...['--allowImportingTsExtensions', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'],
];

/** A program that somebody writes with the client that was generated for them. */
const program = `
import { Api, type HttpResponse, type Problem } from './client.ts';

const [url = '', token = ''] = process.argv.slice(2);
const api = new Api<string>({
  baseUrl: url,
  securityWorker: (given) => ({ headers: { Authorization: \`Bearer \${given}\` } }),
});
api.setSecurityData(token);

const { project, environment } = (await api.v1.getCaller()).data;
const place = [project, environment ?? ''] as const;
const pageAfter = async (cursor: string | null) =>
  (await api.v1.listActivityLogs(...place, { limit: 2, ...(cursor === null ? {} : { cursor }) })).data;
let page = await pageAfter(null);
const ids = page.data.map(({ id }) => id);
while (page.hasMore) {
  page = await pageAfter(page.nextCursor);
  ids.push(...page.data.map(({ id }) => id));
}
const one = (await api.v1.getActivityLog(...place, ids[0] ?? '', { expand: 'status,integrity' })).data;
const resources = (await api.v1.listAdminLogs(project, { include: 'all' })).data.data.map(({ resource }) => resource);
const chains = (await api.v1.getIntegrity(project)).data.chains.length;

const written = await api.v1.createNote(...place, { collectionName: 'orders', recordId: '7', title: 'Call', content: 'Soon' });
const headers = { 'If-Match': written.headers.get('etag') ?? '' };
const note = (await api.v1.changeNote(...place, written.data.id.toString(), { title: 'Call back' }, { headers })).data;

const refusal = await api.v1
  .listActivityLogs(...place, { limit: 0 })
  .then(() => undefined, ({ error }: HttpResponse<unknown, Problem>) => error.errors?.[0]?.parameter);
console.log(JSON.stringify({ ids, status: one.status, sequence: one.sequence, resources, chains, title: note.title, refusal }));
`;

const wrongProgram = `
import { Api } from './client.ts';
await new Api().v1.listActivityLogs('shop', 'development', { page: 2 });
`;

it('a client that is generated from the document compiles strictly, and works', { tags: 'long' }, async () => {
  const folder = await temporaryFolder();
  const file = (name: string) => path.join(folder, name);
  const { sandbox, token, report } = await startAuditApi({ store: `sqlite:${file('store.sqlite')}` });
  const all = Array.from({ length: 5 }, () => activity());
  await report(all);
  await writeFile(file('openapi.json'), await (await fetch(`${sandbox.url}/v1/openapi.json`)).text());
  await generateApi({ input: file('openapi.json'), output: folder, fileName: 'client.ts', silent: true });
  await writeFile(file('package.json'), '{"type":"module"}');
  await writeFile(file('program.ts'), program);
  await writeFile(file('wrong-program.ts'), wrongProgram);
  await writeFile(file('process.d.ts'), 'declare const process: { readonly argv: string[] };');

  const compile = (name: string) =>
    run(tsc, [...strict, name, 'process.d.ts'], { cwd: folder }).then(
      () => 'compiled',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
  expect(await compile('program.ts')).toBe('compiled');
  expect(await compile('wrong-program.ts')).toContain("'page' does not exist");

  const parameters = ['--experimental-transform-types', '--no-warnings', 'program.ts', sandbox.url, token];
  const { stdout } = await run(process.execPath, parameters, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    ids: all.map(({ id }) => id).toReversed(),
    status: 'completed',
    sequence: 5,
    resources: expect.arrayContaining(['environment', 'user-project']),
    chains: expect.any(Number),
    title: 'Call back',
    refusal: 'limit',
  });
});
