import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { tableStatements } from '../introspection/tables.ts';
import { startPostgres } from '../postgres.ts';
import { median, rounded } from '../statistics.ts';
import { type LanguageServer, startLanguageServer } from './language-server.ts';
import { projectSource } from './project.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');
const writeTypings = path.join(repository, 'bench/introspection/start.js');

/** What typings cost: their size, a check of a project that uses them, and a completion in an editor. */
export async function benchTypings({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const figures: Record<string, number> = {};
  try {
    const postgres = await startPostgres(folder);
    try {
      for (const count of [100, 1000]) {
        await postgres.execute(['drop schema public cascade', 'create schema public', ...tableStatements(count)]);
        const project = await makeProject(path.join(folder, `project-${count}`), postgres.uri, count);
        Object.assign(figures, await measure(project, count, isQuick ? 5 : 15));
      }
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { name: 'typings', figures };
}

/** A project with the settings of the templates, on the built package. */
async function makeProject(folder: string, uri: string, tables: number): Promise<string> {
  await mkdir(path.join(folder, 'src'), { recursive: true });
  await mkdir(path.join(folder, 'node_modules/@vendor'), { recursive: true });
  await symlink(repository, path.join(folder, 'node_modules/@vendor/cloud'));
  await execa(process.execPath, [writeTypings, uri, folder]);
  await copyFile(path.join(repository, 'templates/shop/tsconfig.json'), path.join(folder, 'tsconfig.json'));
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  await writeFile(path.join(folder, 'src/index.ts'), projectSource(tables));
  return folder;
}

async function measure(project: string, tables: number, samples: number): Promise<Record<string, number>> {
  const entry = path.join(project, 'src/index.ts');
  const seconds = Array.from({ length: samples }, () => check(project));
  await writeFile(entry, projectSource(tables).replace("'first:second:code'", "'first:second:cdoe'"));
  assert.match(compile(project).stdout, /'cdoe' is not a field of 't0'/);
  const completions = await timeCompletions(entry, projectSource(tables), samples * 2);
  return {
    [`bytes${tables}`]: (await stat(path.join(project, 'typings.d.ts'))).size,
    [`tscSeconds${tables}`]: rounded(median(seconds)),
    [`firstCompletionMs${tables}`]: rounded(completions.first),
    [`completionMs${tables}`]: rounded(median(completions.later)),
  };
}

function compile(project: string) {
  return spawnSync(process.execPath, [tsc, '--project', project, '--pretty', 'false'], { encoding: 'utf8' });
}

/** Seconds of a check that finds nothing wrong. */
function check(project: string): number {
  const begin = performance.now();
  const { stdout, status } = compile(project);
  const seconds = (performance.now() - begin) / 1000;
  assert.equal(stdout, '');
  assert.equal(status, 0);
  return seconds;
}

/** Milliseconds from a keystroke to the fields that an editor proposes: right after opening the file, and later on. */
async function timeCompletions(entry: string, source: string, samples: number) {
  const server = await startLanguageServer(path.dirname(path.dirname(entry)));
  try {
    const uri = pathToFileURL(entry).href;
    const before = source.lastIndexOf("'first:second:code'") + "'".length;
    const times: number[] = [];
    for (let version = 0; version <= samples; version++) {
      // Another text each time, as while typing.
      const text = `${source.slice(0, before)}${'fir'.slice(0, version % 3)}${source.slice(before + 'first:second:code'.length)}`;
      times.push(await timeCompletion(server, { uri, version, text, offset: before + (version % 3) }));
    }
    const [first = Number.NaN, ...later] = times;
    return { first, later };
  } finally {
    server.stop();
  }
}

interface Keystroke {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
  readonly offset: number;
}

async function timeCompletion(server: LanguageServer, { uri, version, text, offset }: Keystroke): Promise<number> {
  const lines = text.slice(0, offset).split('\n');
  const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const begin = performance.now();
  if (version === 0) {
    server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version, text } });
  } else {
    server.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
  }
  const answer = await server.request('textDocument/completion', { textDocument: { uri }, position });
  const milliseconds = performance.now() - begin;
  const { items } = answer as { readonly items: readonly { readonly label: string }[] };
  const labels = new Set(items.map(({ label }) => label));
  assert.ok(labels.has('first:name'), 'a path that begins so is not proposed');
  return milliseconds;
}
