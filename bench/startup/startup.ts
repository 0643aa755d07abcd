import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { median, rounded } from '../statistics.ts';
import { measureCommands } from './commands.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** A program to start, and what a right answer of it looks like. */
interface Start {
  readonly file: string;
  readonly parameters: readonly string[];
  readonly answer: RegExp;
}

const product = path.join(repository, 'bin/vendor-cloud.js');
const bare = path.join(import.meta.dirname, 'bare/bin/run.js');

const version: readonly [Start, Start] = [
  { file: product, parameters: ['--version'], answer: /^@vendor\/cloud\/\d+\.\d+\.\d+ \S+ node-v\d+/ },
  { file: bare, parameters: ['--version'], answer: /^bare\/1\.0\.0 \S+ node-v\d+/ },
];
const help: readonly [Start, Start] = [
  { file: product, parameters: ['versions', '--help'], answer: /USAGE\s+\$ vendor-cloud versions/ },
  { file: bare, parameters: ['hello', '--help'], answer: /USAGE\s+\$ bare hello/ },
];

/** What the start of the command line costs, over that of a bare one-command program on the same framework. */
export function benchStartup({ isQuick }: BenchOptions): Promise<BenchReport> {
  const pairs = isQuick ? 10 : 30;
  const versions = comparePairs(version, pairs);
  const helps = comparePairs(help, pairs);
  return Promise.resolve({
    name: 'startup',
    figures: {
      versionRatio: rounded(versions.ratio),
      versionMs: rounded(median(versions.product)),
      bareVersionMs: rounded(median(versions.bare)),
      versionMinimumRatio: rounded(Math.min(...versions.product) / Math.min(...versions.bare)),
      helpRatio: rounded(helps.ratio),
      helpMs: rounded(median(helps.product)),
      bareHelpMs: rounded(median(helps.bare)),
      helpMinimumRatio: rounded(Math.min(...helps.product) / Math.min(...helps.bare)),
      pairs,
      ...measureCommands(isQuick ? 2 : 10),
    },
  });
}

/**
 * Start the two programs in turn, the order changing from pair to pair, so that whatever else the machine does meets
 * both alike. The ratio is the median of those of the pairs.
 */
function comparePairs([product, bare]: readonly [Start, Start], pairs: number) {
  for (const start of [product, bare]) millisecondsOf(start); // Neither pays for a cold disk.
  const samples = Array.from({ length: pairs }, (_, index) => {
    if (index % 2 === 0) {
      const first = millisecondsOf(product);
      return { product: first, bare: millisecondsOf(bare) };
    }
    const first = millisecondsOf(bare);
    return { product: millisecondsOf(product), bare: first };
  });
  return {
    ratio: median(samples.map((sample) => sample.product / sample.bare)),
    product: samples.map((sample) => sample.product),
    bare: samples.map((sample) => sample.bare),
  };
}

/** From the start of the process to its end. */
function millisecondsOf({ file, parameters, answer }: Start): number {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...parameters], { encoding: 'utf8' });
  const milliseconds = performance.now() - begin;
  assert.deepEqual([status, stderr], [0, ''], `${file} ${parameters.join(' ')}`);
  assert.match(stdout, answer);
  return milliseconds;
}
