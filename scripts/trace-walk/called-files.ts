import type { Debugger, Profiler } from 'node:inspector';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { InspectedThread } from './inspected-thread.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const sources = path.join(repository, 'src') + path.sep;

/** What the round before has left to a timer, such as its report, is done by then. */
const betweenRoundsMs = 300;

interface CalledFile {
  readonly scriptId: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Where the functions that ran begin, as offsets in the file. */
  readonly functions: ReadonlySet<number>;
}

/** The source files whose functions every one of `rounds` calls of `work` runs in a thread, in the order of their first call. */
export async function calledFiles(
  thread: InspectedThread,
  work: () => Promise<unknown>,
  rounds: number,
): Promise<readonly string[]> {
  const called = await filesOfEveryRound(thread, work, rounds);
  const order = await orderOfFirstCalls(thread, called, work);
  const positions = new Map(order.map((file, index) => [file, index]));
  const position = ({ file }: CalledFile) => positions.get(file) ?? order.length;
  return called.toSorted((a, b) => position(a) - position(b)).map(({ file }) => file);
}

async function filesOfEveryRound(
  thread: InspectedThread,
  work: () => Promise<unknown>,
  rounds: number,
): Promise<readonly CalledFile[]> {
  await thread.post('Profiler.enable');
  await thread.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let common: readonly CalledFile[] | undefined;
  for (let round = 0; round < rounds; round++) {
    await pause(betweenRoundsMs);
    await thread.post('Profiler.takePreciseCoverage'); // From here on only what this round calls is counted.
    await work();
    const { result } = await thread.post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
    const called = result.flatMap(calledFile);
    common = common?.filter(({ file }) => called.some((other) => other.file === file)) ?? called;
  }
  await thread.post('Profiler.stopPreciseCoverage');
  return common ?? [];
}

function calledFile({ scriptId, url, functions }: Profiler.ScriptCoverage): CalledFile[] {
  if (!url.startsWith('file:')) return [];
  const place = fileURLToPath(url);
  if (!place.startsWith(sources)) return [];
  // A function that begins with the file is the module itself, which runs when it is loaded.
  const starts = functions.flatMap(({ ranges: [whole] }) =>
    whole && whole.count > 0 && whole.startOffset > 0 ? [whole.startOffset] : [],
  );
  if (starts.length === 0) return [];
  return [{ scriptId, file: path.relative(repository, place), functions: new Set(starts) }];
}

/** What the conditions of the breakpoints call: a name that no source file uses. */
const notebook = '__calledFiles';

/**
 * Coverage counts calls and keeps no order. So each function gets a breakpoint whose condition notes the file and is false,
 * for one more call of `work`.
 */
async function orderOfFirstCalls(
  thread: InspectedThread,
  files: readonly CalledFile[],
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  await thread.evaluate(`globalThis.${notebook} = new Set(); 0`);
  await thread.post('Debugger.enable');
  for (const { scriptId, file, functions } of files) {
    const { scriptSource } = await thread.post<Debugger.GetScriptSourceReturnType>('Debugger.getScriptSource', {
      scriptId,
    });
    const condition = `(${notebook}.add(${JSON.stringify(file)}), false)`;
    for (const offset of functions) {
      const { locations } = await thread.post<Debugger.GetPossibleBreakpointsReturnType>(
        'Debugger.getPossibleBreakpoints',
        {
          start: locationAt(scriptSource, offset, scriptId),
          restrictToFunction: true,
        },
      );
      const [location] = locations;
      // A function without a statement has no place for one.
      if (location) await thread.post('Debugger.setBreakpoint', { location, condition });
    }
  }
  await work();
  await thread.post('Debugger.disable');
  return thread.evaluate<string[]>(`[...${notebook}]`);
}

function locationAt(text: string, offset: number, scriptId: string) {
  const before = text.slice(0, offset).split('\n');
  return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
}
