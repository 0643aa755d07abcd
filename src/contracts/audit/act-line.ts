import { leafOfParts, type RowVersion } from './chain.ts';
import { commitmentOf } from './disclosures.ts';

/** The line of an act, whose text alone says what is checked. The person that it shows is the one that it was committed to. */
export interface ActLine {
  readonly chain: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly version: RowVersion;
  /** SHA-256 of 0 and the body. */
  readonly leaf: string;
  readonly hash: string;
  readonly previousHash: string;
}

/**
 * Texts that need no escape, whole numbers, and lists of such texts: they have one form only in canonical JSON. Control characters are not
 * looked for, because the platform writes none: the hash of a line that has one does not fit.
 */
const text = String.raw`"[^"\\]*"`;
const number = '(?:0|[1-9][0-9]{0,14})';
const count = `(?:null|${number})`;
const texts = String.raw`\[(?:${text}(?:,${text})*)?\]`;
const foundText = String.raw`"([^"\\]*)"`;

const member = (name: string, value: string) => `"${name}":${value},`;
const optional = (name: string, value: string) => `(?:${member(name, value)})?`;
const named = (object: string) => String.raw`\{"name":${text},"object":"${object}"\}`;

/** The members before the person, in their order. */
const start = [
  member('action', text),
  member('chain', foundText),
  optional('client', String.raw`\{"id":${text},"name":${text},"object":"client"\}`),
  optional('collection', named('collection')),
  member('committed', String.raw`\{"user":${foundText}\}`),
  optional('consent', text),
  optional('correlationId', text),
  member('createdAt', foundText),
  member('durationMs', count),
  member('environment', named('environment')),
  optional('fields', texts),
  member('id', text),
  optional('label', text),
  member('object', '"activityLog"'),
  member('occurredAt', text),
  member('recordCount', count),
  member('recordIds', texts),
  member('recordedAt', text),
  optional('rendering', String.raw`\{"id":${number},"name":${text}\}`),
  member('role', text),
  member('sequence', `(${number})`),
  member('source', text),
  member('status', text),
  member('team', named('team')),
  optional('tokenId', text),
  optional('tool', text),
  member('type', text),
].join('');
const user = String.raw`\{"email":${text},"id":${number},"object":"user","username":${text}\}`;
const end = String.raw`"version":2,"salts":\{"user":"([\w-]{22})"\},"hash":${foundText},"previousHash":${foundText}\}`;
const actLine = new RegExp(String.raw`^(\{${start})"user":(${user}),${end}$`);

/** The engine of patterns needs memory for each character. */
const longestLine = 1_000_000;

/**
 * Nearly all rows are acts, and a parser takes longer than their hashes do. So an act of version 2 is read from the line as the platform
 * writes it. `undefined` for any other line, for any other form of the same, and where the person is another one.
 */
export function readActLine(line: string): ActLine | undefined {
  const read = line.length > longestLine ? undefined : actLine.exec(line);
  if (!read) return undefined;
  // Taken by number: to take a list apart costs as much as to match the line.
  if (commitmentOf('user', read[7] ?? '', read[6] ?? '') !== read[3]) return undefined;
  return {
    chain: read[2] ?? '',
    sequence: Number(read[5]),
    createdAt: read[4] ?? '',
    version: 2,
    leaf: leafOfParts(read[1] ?? '', '"version":2}'),
    hash: read[8] ?? '',
    previousHash: read[9] ?? '',
  };
}
