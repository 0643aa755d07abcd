import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { systemRandom } from '#node/system/system-random';
import { startHttpServer } from '../helpers/http-server.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { startPlatformIn } from '../helpers/start-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

interface Workflow {
  readonly on: { readonly push: { readonly branches: readonly string[] } };
  readonly jobs: Record<string, { readonly env: Record<string, string>; readonly steps: readonly Step[] }>;
}
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Record<string, string>;
}

let root: string;
/** What the expressions of the workflow stand for. */
let values: Record<string, string>;
const comments: { id: number; body: string }[] = [];

beforeEach(async () => {
  root = await createShopProject();
  expect(await runCli(['schema'], { cwd: root })).toMatchObject({ exitCode: 0 });
  const sandbox = await startPlatformIn(await temporaryFolder());
  onTestFinished(() => sandbox.stop());
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret: systemRandom.hex(32), user });
  comments.length = 0;
  values = {
    'vars.SERVICE_SERVER_URL': sandbox.url,
    'secrets.SERVICE_AUTH_TOKEN': userToken,
    'github.token': 'token-of-the-job',
    'github.event.number': '7',
  };
});

/** The API of GitHub, as far as comments go. */
async function startGithub(): Promise<string> {
  const { origin } = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { body } =
      chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as { body: string }) : { body: '' };
    const place = `${request.method} ${request.url}`;
    if (request.headers.authorization !== 'Bearer token-of-the-job') return void response.writeHead(401).end('{}');
    if (place === 'POST /repos/ada/shop/issues/7/comments') comments.push({ id: comments.length + 1, body });
    else if (place === 'PATCH /repos/ada/shop/issues/comments/1') comments.splice(0, 1, { id: 1, body });
    else if (place !== 'GET /repos/ada/shop/issues/7/comments?per_page=100')
      return void response.writeHead(404).end('{}');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(comments));
  });
  return origin;
}

function filledIn(variables: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries(variables).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ (.+?) \}\}/g, (_all, expression: string) => values[expression] ?? `no ${expression}`),
  ]);
  return Object.fromEntries(entries);
}

/** Carry out the steps of the workflow for an event, except for what makes the machine of the job. */
async function runWorkflow(event: 'pull_request' | 'push', change: Record<string, string> = {}) {
  const file = path.join(root, 'node_modules/@vendor/cloud/deploy/github-workflow.yml');
  const workflow = parse(await readFile(file, 'utf8')) as Workflow;
  const [job] = Object.values(workflow.jobs);
  const steps = (job?.steps ?? []).filter(
    (step) => step.run && step.run !== 'npm ci' && (!step.if || step.if === `github.event_name == '${event}'`),
  );
  expect(steps.map(({ run }) => run)).toEqual([
    expect.stringContaining(`ci.sh ${event === 'push' ? 'push' : 'check'}`),
  ]);
  const env = {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: root,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: root,
    GITHUB_REPOSITORY: 'ada/shop',
    ...filledIn(job?.env),
    ...filledIn(steps[0]?.env),
    SERVICE_ENV: 'development',
    ...change,
  };
  return execa(steps[0]?.run ?? '', { cwd: root, env, extendEnv: false, shell: true, reject: false, stdin: 'ignore' });
}

describe('the workflow for GitHub', () => {
  it('comments the plan on a pull request, and pushes from the main branch', { tags: 'long' }, async () => {
    const GITHUB_API_URL = await startGithub();
    const checked = await runWorkflow('pull_request', { GITHUB_API_URL });
    expect(checked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('The project can be pushed.') });
    expect(comments).toEqual([
      { id: 1, body: expect.stringContaining('Plan for shop in development, which serves nothing now') },
    ]);

    const pushed = await runWorkflow('push');
    expect(pushed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Version 1 is live in development') });
    expect((await runWorkflow('pull_request', { GITHUB_API_URL })).exitCode).toBe(0);
    expect(comments).toEqual([{ id: 1, body: expect.stringContaining('development serves this already') }]);
    const written = JSON.stringify([checked.stdout, checked.stderr, pushed.stdout, pushed.stderr, comments]);
    expect(written).not.toContain(values['secrets.SERVICE_AUTH_TOKEN']);
  });

  it('makes no plan without a token, and fails for code that is wrong with its place', async () => {
    const fork = await runWorkflow('pull_request', { SERVICE_AUTH_TOKEN: '' });
    expect(fork).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no plan is made') });
    const entry = path.join(root, 'src/index.ts');
    await writeFile(entry, (await readFile(entry, 'utf8')).replace("field: 'status'", "field: 'statsu'"));
    const wrong = await runWorkflow('pull_request', { SERVICE_AUTH_TOKEN: '' });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toMatch(/^::error title=CUSTOMIZATION_INVALID,file=src\/index\.ts,line=\d+,col=\d+::/m);
  });
});
