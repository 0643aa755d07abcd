import type { Erased, Restored } from '#contracts/audit/verdict';

const countedRows = (rows: number) => (rows === 1 ? '1 row' : `${rows} rows`);

/** The sentences of the verification in the browser. What holds or not is said as by `audit verify`. */
export const verificationTexts = {
  title: 'Verification',
  what: 'This browser reads the whole log and computes every hash and signature by itself. Filters do not count.',
  kept: (size: number, at: string) => `It compares the log with the checkpoint that it has kept: row ${size}, ${at}.`,
  notKept: 'It keeps a checkpoint then, and compares the log with that one next time.',
  file: 'Checkpoints that were kept elsewhere, as a file:',
  start: 'Verify in this browser',
  stop: 'Stop',
  progress: (rows: string, of: string) => `${rows} of ${of} rows`,
  holds: (rows: number, first: number, last: number) =>
    `The log holds: ${countedRows(rows)}, from ${first} to ${last}, none changed, missing or moved.`,
  noRows: 'The log has no rows yet.',
  keptNow: (size: number, at: string) => `This browser has kept the checkpoint of row ${size}, ${at}.`,
  restored: ({ at, madeAt, size }: Restored) =>
    `It was restored at ${at} from a backup of ${madeAt}, which ended with row ${size}. Rows that were written in between are lost.`,
  clock: (log: string, from: string, to: string) =>
    `The clock of the platform went back from ${from} to ${to}. Rows of the log ${log} have later times than they should.`,
  erased: ({ rows, by, reference, from, to }: Erased) => {
    const when = from === to ? `at ${to}` : `from ${from} to ${to}`;
    const [who, why] = [by === null ? '' : ` by ${by}`, reference === null ? '' : `: ${reference}`];
    return `Somebody was erased from ${countedRows(rows)}${who}, ${when}${why}.`;
  },
  broken: 'The log was changed.',
  brokenNext: [
    'Keep the log and its store as they are, and find out who could write to the store.',
    'Compare with exports and checkpoints that are kept elsewhere.',
  ],
  problem: (kind: string, sequence: number) => `Kind: ${kind}. First row: ${sequence}.`,
  verifiedBefore: (rows: number) => `${countedRows(rows)} before it were verified.`,
  forgetWhy: 'If you know why the log is another one, such as after a restore, this browser can begin again too.',
  forget: 'Forget the checkpoint',
  unverifiable: (rows: number) => `Nothing proves the ${countedRows(rows)} yet`,
  unsupported: 'This browser cannot verify signatures (Ed25519), so that nothing is proved',
  unsupportedNext: [
    'Use a newer browser, and open the platform with https.',
    'Or run the command: vendor-cloud audit verify',
  ],
  keys: 'Optional: public keys of the platform that you know from elsewhere, a line each:',
  noKey: (text: string) => `This is not a public key of a platform: ${text}`,
  noKeyNext: ['Give a key that begins with "vendor-cloud.audit+", as "audit verify --json" shows it.'],
  witnesses: 'Optional: public keys of other machines that must have signed the log in the last 25 hours, a line each:',
  noWitness: (text: string) => `This is not a public key of a machine that cosigns: ${text}`,
  noWitnessNext: [
    'Give the key that "audit cosign" shows on that machine: its name, an id and the key, with "+" between them.',
  ],
  noCheckpoints: 'The file holds no checkpoints',
  noCheckpointsNext: ['Choose a file of checkpoints that the platform has written, or that "audit verify" has kept.'],
  nothingProved: 'The verification did not end, so that nothing is proved. Start it again.',
};
