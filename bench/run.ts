import { parseArgs } from 'node:util';
import type { Bench } from './bench-report.ts';
import { benches } from './benches.ts';
import { budgets } from './budgets.ts';
import { formatReport } from './format-report.ts';

/** `npm run bench -- NAME [--quick] [--size 5m] [--json]`. Figures go to stdout; a bench that meets a wrong answer fails with 1. */
const usageExitCode = 2;

function readArguments() {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const options = { quick: flag, json: flag, size: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const size = values.size === undefined ? undefined : sizeOf(values.size);
    return { names: positionals, isQuick: values.quick, isJson: values.json, size };
  } catch (error) {
    return { names: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** `5m` are five million, `20k` twenty thousand. */
function sizeOf(text: string): number {
  const [, number, unit = ''] = /^([1-9]\d{0,8})([km]?)$/.exec(text) ?? [];
  if (number === undefined) throw new RangeError(`"${text}" is not a size. Write 20k or 5m.`);
  return Number(number) * { '': 1, k: 1_000, m: 1_000_000 }[unit as '' | 'k' | 'm'];
}

async function chosenBench(names: readonly string[]): Promise<Bench | undefined> {
  const [name = ''] = names;
  return names.length === 1 && Object.hasOwn(benches, name) ? await benches[name]?.load() : undefined;
}

function usage(problem: string): string {
  const width = Math.max(...Object.keys(benches).map((name) => name.length));
  const lines = Object.entries(benches).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [problem, 'Usage: npm run bench -- NAME [--quick] [--size 5m] [--json]', ...lines].join('\n');
}

const { names, isQuick = false, isJson = false, size, problem } = readArguments();
const bench = problem === undefined ? await chosenBench(names) : undefined;
if (bench) {
  const report = await bench({ isQuick, size });
  console.log(isJson ? JSON.stringify(report) : formatReport(report, budgets[report.name] ?? {}));
} else {
  console.error(usage(problem ?? (names.length === 0 ? 'Which bench?' : `There is no bench "${names.join(' ')}".`)));
  process.exitCode = usageExitCode;
}
