import { type LinkHash, leafOfParts, linkHashOf, type RowVersion } from './chain.ts';
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
  /** The hash that it should have after that one. */
  readonly linkHash: string;
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
  optional('approval', number),
  member('chain', foundText),
  optional('client', String.raw`\{"id":${text},"name":${text},"object":"client"\}`),
  optional('codeVersion', number),
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
  optional('undoes', text),
].join('');
const user = String.raw`\{"email":${text},"id":${number},"object":"user","username":${text}\}`;
const end = String.raw`"version":2,"salts":\{"user":"([\w-]{22})"\},"hash":${foundText},"previousHash":${foundText}\}`;
const actLine = new RegExp(String.raw`^(\{${start})"user":(${user}),${end}$`);

/** The engine of patterns needs memory for each character. */
const longestLine = 1_000_000;

/**
 * Nearly all rows are acts, and a parser takes longer than their hashes do. So an act of version 2 is read from the line as the platform
 * writes it. `undefined` for any other line, for any other form of the same, and where the person is another one.
 *
 * Each step is done for all lines before the next one: a processor that turns from one to the other at each line takes a quarter longer.
 *
 * @param lines Some tens, so that what is read of them stays in the caches of the processor.
 */
export function readActLines(lines: readonly string[]): readonly (ActLine | undefined)[] {
  const found = lines.map((line) => (line.length > longestLine ? null : actLine.exec(line)));
  // Taken by number: to take a list apart costs as much as to match the line.
  const isOfPerson = found.map((read) => read && commitmentOf('user', read[7] ?? '', read[6] ?? '') === read[3]);
  const leaves = found.map((read, at) => (read && isOfPerson[at] ? leafOfParts(read[1] ?? '', '"version":2}') : ''));
  let ofChain: { readonly chain: string; readonly linkHash: LinkHash } | undefined;
  return found.map((read, at) => {
    const leaf = leaves[at] ?? '';
    if (!read || leaf === '') return undefined;
    const [chain, sequence, hash, previousHash] = [read[2] ?? '', Number(read[5]), read[8] ?? '', read[9] ?? ''];
    if (ofChain?.chain !== chain) ofChain = { chain, linkHash: linkHashOf(chain, 2) };
    const linkHash = ofChain.linkHash(sequence, previousHash, leaf);
    return { chain, sequence, createdAt: read[4] ?? '', version: 2, leaf, hash, previousHash, linkHash };
  });
}
