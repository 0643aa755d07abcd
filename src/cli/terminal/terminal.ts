import { styleText } from 'node:util';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import { createNoteWriter, type NoteWriter } from './note-writer.ts';

type Paint = (text: string | number) => string;

/** How texts look. Without colours each of the functions returns its text as it is. */
export interface Style {
  readonly hasColor: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** The output of a command. Results go to stdout; everything else to stderr. */
export interface Terminal {
  readonly isJson: boolean;
  /** Colours of stderr and of stdout. Both are off where the terminal has none. */
  readonly style: Style;
  readonly resultStyle: Style;
  /** Width of stderr in characters. Unlimited when stderr is not a terminal, because files need no line breaks. */
  readonly columns: number;
  /** The same of stdout: a table in a pipe is not cut. */
  readonly resultColumns: number;
  /** A line of the result. */
  result(line: string): void;
  /** A line of anything else. Not written under `--json`. */
  note(line: string): void;
  /** One JSON value on a line of stdout. */
  json(value: unknown): void;
}

/** A terminal that also keeps a line below its notes. */
export interface LiveTerminal extends Terminal {
  pin: NoteWriter['pin'];
}

export function createTerminal(
  environment: ProcessEnvironment,
  options: { readonly isJson: boolean; readonly hasColor: boolean },
): LiveTerminal {
  const { isJson } = options;
  const { isErrorTerminal, variables } = environment;
  const canPin = isErrorTerminal && variables['TERM'] !== 'dumb' && !variables['CI'];
  const write = (text: string) => {
    if (!isJson) process.stderr.write(text);
  };
  const { note, pin } = createNoteWriter(write, () => (canPin ? (process.stderr.columns ?? 0) : 0));
  const styleFor = (isTerminal: boolean) => createStyle(takesColor(environment, isTerminal, options));
  return {
    isJson,
    style: styleFor(environment.isErrorTerminal),
    resultStyle: styleFor(environment.isOutputTerminal),
    get columns() {
      return process.stderr.columns || Number.POSITIVE_INFINITY;
    },
    get resultColumns() {
      return process.stdout.columns || Number.POSITIVE_INFINITY;
    },
    result: (line) => void process.stdout.write(`${line}\n`),
    note,
    pin,
    json: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`),
  };
}

/** https://no-color.org and https://force-color.org; a dumb terminal and a pipe get none. */
function takesColor(
  { variables }: ProcessEnvironment,
  isTerminal: boolean,
  { isJson, hasColor }: { readonly isJson: boolean; readonly hasColor: boolean },
): boolean {
  if (isJson || !hasColor || variables['NO_COLOR']) return false;
  if (variables['FORCE_COLOR'] && variables['FORCE_COLOR'] !== '0') return true;
  return isTerminal && variables['TERM'] !== 'dumb';
}

export function createStyle(hasColor: boolean): Style {
  // Node.js would ask its own streams and variables, which know nothing of `--json` and `--no-color`.
  const options = { validateStream: false };
  const paint =
    (color: Exclude<keyof Style, 'hasColor'>): Paint =>
    (text) =>
      hasColor && text !== '' ? styleText(color, String(text), options) : String(text);
  return {
    hasColor,
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}
