/** The parts of the room, in the order of their tabs. */
export const deliveryParts = ['versions', 'hosts', 'log', 'variables'] as const;

export type DeliveryPart = (typeof deliveryParts)[number];

/** From the least important one on. */
export const logLevels = ['Debug', 'Info', 'Warn', 'Error'] as const;

/** Which lines of the log are shown. It is in the address, so that a link shows the same. */
export interface DeliveriesState {
  /** The least important level. */
  readonly level?: (typeof logLevels)[number];
  readonly grep?: string;
}

/** The state that an address names. What the address has besides is left out. */
export function readDeliveriesState({ level, grep }: Readonly<Record<string, unknown>>): DeliveriesState {
  const known = logLevels.find((each) => each === level);
  return { ...(known ? { level: known } : {}), ...(typeof grep === 'string' && grep !== '' ? { grep } : {}) };
}

/** The lines that somebody wants to see, as the command `logs` chooses them. */
export function wantedLines<Line extends { readonly level: (typeof logLevels)[number]; readonly text: string }>(
  lines: readonly Line[],
  { level = 'Info', grep = '' }: DeliveriesState,
): readonly Line[] {
  const least = logLevels.indexOf(level);
  const text = grep.toLowerCase();
  return lines.filter((line) => logLevels.indexOf(line.level) >= least && line.text.toLowerCase().includes(text));
}
