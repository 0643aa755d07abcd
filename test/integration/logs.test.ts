import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { showLog } from '#cli/foreground/show-log';
import { createContext } from '#cli/invocation/cli-context';
import type { LogLine } from '#contracts/local-log';
import { type ReadLogsInput, readLogs } from '#flows/logs/read-logs';
import { createLocalLog, logEvents } from '#flows/logs/write-local-log';
import { cloudError } from '#kernel/errors/cloud-error';
import { silentReporter } from '#kernel/ports/reporter';
import { connectHost } from '#platform-client/host-client';
import { startDevSession } from '../helpers/dev-session.ts';
import { eventually } from '../helpers/eventually.ts';
import { flowContext, uninterruptedInvocation } from '../helpers/flow-context.ts';
import { type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

type Wishes = Partial<Omit<ReadLogsInput, 'folder' | 'tell'>>;

/** what a person reads of the log of a project. */
async function toldOf({ context, root }: Pick<PushingProject, 'context' | 'root'>, wishes: Wishes = {}) {
  const told: LogLine[] = [];
  await readLogs(context, {
    folder: root,
    environment: undefined,
    level: 'Info',
    limit: 100,
    isFollowing: false,
    signal: new AbortController().signal,
    ...wishes,
    tell: (line) => told.push(line),
  });
  return told;
}

const textsOf = (lines: readonly LogLine[]) => lines.map(({ text }) => text);

async function emptyProject() {
  const root = await temporaryFolder();
  const config = JSON.stringify({ name: 'notebook', dataSources: {} });
  await writeFiles(root, { 'vendor-cloud.json': config, 'src/index.ts': 'export default () => undefined;' });
  return { root, context: flowContext(root) };
}

const logsOf = (root: string) => path.join(root, '.vendor-cloud/logs');

describe('the log of a project', () => {
  it('has what dev and serve said, in order, by level, text and time', async () => {
    const project = await emptyProject();
    let now = Date.parse('2026-01-31T12:00:00Z');
    const context = { ...project.context, clock: { ...project.context.clock, now: () => now } };
    const dev = createLocalLog(context, logsOf(project.root), 'dev');
    const serve = createLocalLog(context, path.join(project.root, '.vendor-cloud/host/logs'), 'serve');
    dev.add('Info', 'Refund asked\n');
    now += 1_000;
    serve.add('Error', 'refund failed');
    now += 1_000;
    dev.add('Warn', 'late');
    await Promise.all([dev.close(), serve.close()]);
    expect(await toldOf(project)).toEqual([
      expect.objectContaining({ at: '2026-01-31T12:00:00.000Z', level: 'Info', source: 'dev', text: 'Refund asked' }),
      expect.objectContaining({ source: 'serve', text: 'refund failed' }),
      expect.objectContaining({ level: 'Warn', text: 'late' }),
    ]);
    expect(textsOf(await toldOf(project, { level: 'Warn' }))).toEqual(['refund failed', 'late']);
    expect(textsOf(await toldOf(project, { grep: 'REFUND' }))).toEqual(['Refund asked', 'refund failed']);
    expect(textsOf(await toldOf(project, { since: now - 1_000 }))).toEqual(['refund failed', 'late']);
    expect(textsOf(await toldOf(project, { limit: 1 }))).toEqual(['late']);
  });

  it('stays below two files of a megabyte, and keeps the newest lines', async () => {
    const project = await emptyProject();
    const log = createLocalLog(project.context, logsOf(project.root), 'dev');
    for (let line = 1; line <= 1_000; line++) {
      log.add('Info', `${line} ${'x'.repeat(3_900)}`);
      if (line % 100 === 0) await log.close();
    }
    const sizes = await Promise.all(
      ['dev.ndjson', 'dev.1.ndjson'].map(async (name) => (await stat(path.join(logsOf(project.root), name))).size),
    );
    expect(Math.max(...sizes)).toBeLessThan(1.5 * 1024 * 1024);
    const kept = textsOf(await toldOf(project, { limit: 10_000 }));
    expect(kept.at(-1)).toMatch(/^1000 /);
    expect(kept.length).toBeGreaterThan(200);
    expect((await stat(path.join(logsOf(project.root), 'dev.ndjson'))).mode & 0o777).toBe(0o600);
  });

  it('is printed without codes for the terminal, and with further lines indented', async () => {
    const { root } = await emptyProject();
    const printed: string[] = [];
    const session = uninterruptedInvocation(root, { isJson: false });
    const terminal = { ...session.terminal, result: (line: string) => void printed.push(line) };
    const context = createContext(session, silentReporter);
    const clock = { ...context.clock, now: () => Date.parse('2026-01-31T12:00:00Z') };
    const log = createLocalLog({ ...context, clock }, logsOf(root), 'dev');
    log.add('Info', 'paid\u001b]0;owned\u0007\r\u001b[2K\u001b[1;32mnothing\u001b[0m\n\u001b[3Aat all\u009b2J');
    await log.close();
    const wishes = { folder: root, environment: undefined, level: 'info', limit: 10, isFollowing: false } as const;
    await showLog({ ...session, terminal }, context, wishes);
    expect(printed).toEqual(['2026-01-31 12:00:00Z info  dev paid nothing\n    at all']);
  });

  it('is followed, through a line that is half written and a change of the file', async () => {
    const project = await emptyProject();
    const log = createLocalLog(project.context, logsOf(project.root), 'dev');
    log.add('Info', 'first');
    await log.close();
    const told: LogLine[] = [];
    const quit = new AbortController();
    const following = readLogs(project.context, {
      folder: project.root,
      environment: undefined,
      level: 'Info',
      limit: 10,
      isFollowing: true,
      signal: quit.signal,
      tell: (line) => told.push(line),
    });
    await eventually(() => expect(textsOf(told)).toEqual(['first']));
    const half = JSON.stringify({
      at: '2026-01-31T12:00:00Z',
      level: 'Info',
      source: 'dev',
      text: 'half',
      run: 'r',
      sequence: 1,
    });
    const other = path.join(logsOf(project.root), 'other.ndjson');
    await writeFile(other, half.slice(0, 20));
    log.add('Info', 'second');
    await eventually(() => expect(textsOf(told)).toEqual(['first', 'second']));
    await writeFile(other, `${half}\n`);
    await eventually(() => expect(textsOf(told)).toEqual(['first', 'second', 'half']));
    quit.abort();
    expect(await following).toBe(3);
  });

  it('is given up with a warning where its folder cannot be written, and ends nothing', async () => {
    const { root, context } = await emptyProject();
    await mkdir(path.join(root, '.vendor-cloud'));
    await writeFile(logsOf(root), 'a file in the place of the folder');
    const warnings: string[] = [];
    const reporter = { ...context.reporter, warn: (message: string) => void warnings.push(message) };
    const log = createLocalLog({ ...context, reporter }, logsOf(root), 'dev');
    log.add('Info', 'one');
    log.add('Info', 'two');
    await log.close();
    expect(warnings).toEqual([expect.stringContaining('The log is not kept.')]);
  });

  it('has what the code printed and what failed, and no token', async () => {
    const session = await startDevSession();
    await writeFile(session.entry, "console.log('said by the code'); export default () => undefined;");
    await session.next('output');
    await writeFile(session.entry, 'export default () => {');
    await session.next('error');
    await session.stop();
    const text = await readFile(path.join(logsOf(session.root), 'dev.ndjson'), 'utf8');
    expect(text).toContain('said by the code');
    expect(text).toMatch(/"level":"Error".*does not compile.*src\/index\.ts:1.*BUILD_FAILED/);
    expect(text).toContain('"text":"ready"');
    for (const secret of [session.ready.token, session.ready.mcp.token]) expect(text).not.toContain(secret);
  });
});

describe('events in a log', () => {
  it('are kept as they are reported, errors with their place and others with their numbers only', () => {
    const lines: string[] = [];
    const log = {
      add: (level: string, text: string) => void lines.push(`${level} ${text}`),
      close: async () => undefined,
    };
    const told: string[] = [];
    const tell = logEvents(log, ({ event }) => void told.push(event));
    const location = { file: '/project/src/index.ts', line: 3 };
    const error = cloudError('BUILD_FAILED', 'It is wrong.', 'To fix it.', { location });
    tell({ event: 'error', error });
    tell({ event: 'output', text: 'hello' });
    tell({ event: 'warning', message: 'careful' });
    const facts = { status: 200, durationMs: 3 };
    const line = { time: '2026-01-31T12:00:00.000Z', level: 'Debug', message: 'GET /orders', facts } as const;
    tell({ event: 'log', ...line });
    tell({ event: 'types', errors: [error] });
    const serving = { event: 'serving', deployment: 3, ms: 12.5, url: 'http://127.0.0.1', token: 'hush' };
    tell(serving);
    expect(lines).toEqual([
      'Error It is wrong. (/project/src/index.ts:3) [BUILD_FAILED]',
      'Info hello',
      'Warn careful',
      'Debug GET /orders status=200 durationMs=3',
      'Warn types errors=1',
      'Info serving deployment=3 ms=12.5',
    ]);
    expect(told).toEqual(['error', 'output', 'warning', 'log', 'types', 'serving']);
  });
});

describe('the log of an environment', () => {
  it('has what its hosts told the platform, and goes on with what they tell', async () => {
    const project = await startPushingProject();
    const { http, random } = project.context;
    const host = connectHost({ serverUrl: project.serverUrl, envSecret: project.envSecret, http, random });
    const known = { host: random.uuid(), name: 'berlin-1', workers: 1, serving: null, checked: null, refused: null };
    const say = (...texts: readonly string[]) =>
      host.beat({
        ...known,
        log: texts.map((text, second) => ({ at: `2026-01-31T12:00:0${second}.000Z`, level: 'Warn' as const, text })),
      });
    await say('one', 'two');
    const wishes = { environment: 'development' };
    expect(await toldOf(project, wishes)).toEqual([
      { at: '2026-01-31T12:00:00.000Z', level: 'Warn', source: 'berlin-1', text: 'one' },
      { at: '2026-01-31T12:00:01.000Z', level: 'Warn', source: 'berlin-1', text: 'two' },
    ]);
    expect(await toldOf(project, { ...wishes, level: 'Error' })).toEqual([]);
    const quit = new AbortController();
    const told: LogLine[] = [];
    const following = readLogs(project.context, {
      folder: project.root,
      environment: 'development',
      level: 'Info',
      limit: 1,
      isFollowing: true,
      signal: quit.signal,
      tell: (line) => told.push(line),
    });
    await eventually(() => expect(textsOf(told)).toEqual(['two']));
    await say('three', 'four');
    await eventually(() => expect(textsOf(told)).toEqual(['two', 'three', 'four']));
    quit.abort();
    expect(await following).toBe(3);
  });
});
