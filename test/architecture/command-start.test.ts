import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { internalImports, readSources, repository, staticImports } from './source-tree.ts';

const sources = new Map(readSources().map((file) => [file.path, file]));
const commands = [...sources.keys()].filter((file) => file.startsWith('commands/'));

/** Files with the options of a flag, which every command that has the flag needs. */
const optionFiles = ['flows/audit/tail/log-sink.ts', 'flows/schema/compile-against.ts', 'flows/data/data-format.ts'];

/** What Node.js loads with a command before the command runs: own files, and packages. */
function loadedWith(entry: string) {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    const source = sources.get(file);
    if (!source) throw new Error(`There is no ${file}.`);
    if (files.has(file)) return;
    files.add(file);
    const imports = staticImports(source);
    for (const specifier of imports.filter((each) => !/^[#.]|^node:/.test(each))) packages.add(specifier);
    for (const target of internalImports({ path: file, imports })) visit(`${target}.ts`);
  };
  visit(entry);
  return { files: [...files], packages: [...packages] };
}

/** How many files a program loads before its work begins. */
async function filesUntilWork(...words: string[]): Promise<number> {
  const preload = path.join(repository, 'bench/startup/until-work.js');
  const { stdout } = await execa(process.execPath, ['--import', preload, ...words], { cwd: repository });
  const { files }: { readonly files: number } = JSON.parse(stdout);
  return files;
}

describe('a flow that builds', () => {
  it.each(['flows/push/push.ts', 'flows/plan/plan.ts'])(
    'begins before it loads the client of the platform: %s',
    (flow) => {
      expect(loadedWith(flow).files.filter((file) => file.startsWith('platform-client/'))).toEqual([]);
    },
  );
});

describe('a command, before its work begins', () => {
  it.each(commands)('loads no flow, no port of Node.js, no schema and no drawing: %s', (command) => {
    const { files, packages } = loadedWith(command);
    const heavy =
      /^(?:flows|node|platform-client|project|runtime|sandbox)\/|^contracts\/(?!credential-kind)|^cli\/(?:invocation\/cli-context|rendering\/)/;
    expect(files.filter((file) => heavy.test(file) && !optionFiles.includes(file))).toEqual([]);
    expect(packages.filter((name) => !name.startsWith('@oclif/core/'))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(25);
  });

  it('loads fewer files than a bare program with one command', async () => {
    const bare = await filesUntilWork('bench/startup/bare/bin/run.js', 'hello', 'Ada');
    expect(await filesUntilWork('bin/vendor-cloud.js', 'push')).toBeLessThan(bare);
  });

  it('keeps what it compiles beside its code, for later runs', async () => {
    const told = `
      import { getCompileCacheDir } from 'node:module';
      import { writeSync } from 'node:fs';
      process.on('exit', () => writeSync(2, getCompileCacheDir() ?? 'none'));`;
    const { stderr } = await execa(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(told)}`, 'bin/vendor-cloud.js', '--version'],
      { cwd: repository, env: { NODE_COMPILE_CACHE: '' } },
    );
    expect(path.dirname(stderr)).toBe(path.join(repository, '.compile-cache'));
  });
});
