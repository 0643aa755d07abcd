import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { median, rounded } from '../statistics.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const preload = path.join(import.meta.dirname, 'until-work.js');
const product = path.join(repository, 'bin/vendor-cloud.js');
const bare = [path.join(import.meta.dirname, 'bare/bin/run.js'), 'hello', 'Ada'];
/** Commands between two starts of the bare program. Whatever else the machine does meets a group and its bare start alike. */
const groupSize = 6;

interface Parameter {
  readonly required?: boolean;
  readonly options?: readonly string[];
}

interface ManifestCommand {
  readonly id: string;
  readonly args: Readonly<Record<string, Parameter>>;
  readonly flags: Readonly<Record<string, Parameter>>;
}

/** Words of commands that look at them before their work begins. */
const otherWords: Readonly<Record<string, readonly string[]>> = { exec: ['--', 'true'], 'data:import': ['orders.csv'] };

/** Values of flags that are not numbers. */
const otherValues: Readonly<Record<string, string>> = { for: '1h' };

interface Start {
  /** From the start of the process. */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly files: number;
}

interface Sample extends Start {
  /** Processor time, over that of a bare start at the same time: whatever else the machine does, it changes little. */
  readonly cpuRatio: number;
}

/**
 * What each command takes until its work begins, beside a bare program on the same framework: both start, parse their flags,
 * and end where they would load what they work with.
 */
export function measureCommands(rounds: number): Readonly<Record<string, number>> {
  const commands = readCommands().map((command) => ({ ...command, samples: [] as Sample[] }));
  const bareStarts: Start[] = [];
  start(bare); // Nobody pays for a cold disk.
  for (let round = 0; round < rounds; round++) {
    for (let first = 0; first < commands.length; first += groupSize) {
      const beside = start(bare);
      bareStarts.push(beside);
      for (const { words, samples } of commands.slice(first, first + groupSize)) {
        const started = start([product, ...words]);
        samples.push({ ...started, cpuRatio: started.cpuMs / beside.cpuMs });
      }
    }
  }
  const measured = commands.map(({ id, samples }) => ({
    id,
    cpuRatio: medianOf(samples, 'cpuRatio'),
    ...summary(samples),
  }));
  const { ms: bareMs, files: bareFiles } = summary(bareStarts);
  return {
    'commands.maxCpuRatio': rounded(Math.max(...measured.map(({ cpuRatio }) => cpuRatio))),
    'commands.maxFiles': Math.max(...measured.map(({ files }) => files)),
    'commands.bareMs': bareMs,
    'commands.bareFiles': bareFiles,
    ...Object.fromEntries(
      measured.flatMap(({ id, ms, cpuRatio, files }) => [
        [`${id}.ms`, ms],
        [`${id}.cpuRatio`, rounded(cpuRatio)],
        [`${id}.files`, files],
      ]),
    ),
  };
}

function summary(starts: readonly Start[]) {
  return { ms: rounded(medianOf(starts, 'wallMs')), files: medianOf(starts, 'files') };
}

function medianOf<Name extends string>(starts: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return median(starts.map((each) => each[name]));
}

/** Every command, with words that its parser accepts. */
function readCommands() {
  const manifest = JSON.parse(readFileSync(path.join(repository, 'oclif.manifest.json'), 'utf8')) as {
    readonly commands: Readonly<Record<string, ManifestCommand>>;
  };
  return Object.values(manifest.commands).map((command) => ({ id: command.id, words: wordsFor(command) }));
}

function wordsFor({ id, args, flags }: ManifestCommand): string[] {
  const acceptedValue = (name: string, { options }: Parameter) => options?.[0] ?? otherValues[name] ?? '1';
  const required = (parameters: Readonly<Record<string, Parameter>>) =>
    Object.entries(parameters).filter(([, parameter]) => parameter.required === true);
  return [
    ...id.split(':'),
    ...required(args).map(([name, parameter]) => acceptedValue(name, parameter)),
    ...required(flags).flatMap(([name, parameter]) => [`--${name}`, acceptedValue(name, parameter)]),
    ...(otherWords[id] ?? []),
  ];
}

/** Start a program, up to where its work begins. */
function start(words: readonly string[]): Start {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, ...words], { encoding: 'utf8' });
  const wallMs = performance.now() - begin;
  assert.deepEqual([status, stderr], [0, ''], words.join(' '));
  assert.match(stdout, /^\{"files":\d+,"cpuMs":[\d.]+\}$/, `${words.join(' ')} ended before its work`);
  return { wallMs, ...(JSON.parse(stdout) as Omit<Start, 'wallMs'>) };
}
