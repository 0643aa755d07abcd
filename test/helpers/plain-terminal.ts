import { Chalk } from 'chalk';
import type { Terminal } from '#cli/terminal';

const plain = new Chalk({ level: 0 });

/** A terminal without colours, so many characters wide; without a width it is a pipe. */
export function plainTerminal(columns = Number.POSITIVE_INFINITY): Terminal {
  return {
    isJson: false,
    style: plain,
    resultStyle: plain,
    columns,
    resultColumns: columns,
    result: () => undefined,
    note: () => undefined,
    json: () => undefined,
  };
}
