import { createStyle, type Terminal } from '#cli/terminal/terminal';

const plain = createStyle(false);

/** A terminal without colours, this many characters wide; without a width it is a pipe. */
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
