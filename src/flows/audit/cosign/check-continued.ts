import { genesisHash, linkHashOf } from '#contracts/audit/chain';
import { type Checkpoint, type CheckpointKey, isSignedBy, readCheckpoint } from '#contracts/audit/checkpoint';
import { isContinued } from '#contracts/audit/merkle-tree';
import { readSegment, type Segment } from '#contracts/audit/segment';
import { BrokenLog } from '#contracts/audit/verdict';
import type { AuditClient } from '#platform-client/audit-client';

interface Log {
  readonly client: AuditClient;
  readonly project: string;
  /** Id of the log. */
  readonly chain: string;
  /** The keys that the notes must be signed with. */
  readonly keys: readonly CheckpointKey[];
}

/**
 * The notes of a log from the newest one that was signed here to now, the oldest first. Throws a `BrokenLog` unless each goes on from the one
 * before it.
 *
 * @param before What was signed here last; `undefined` for a log that is new.
 */
export async function continuedNotes(log: Log, before: Segment | undefined): Promise<readonly string[]> {
  const { client, project, chain } = log;
  const { segments } = await client.segments(project, chain);
  const listed = segments.filter(({ month }) => before === undefined || month >= before.month);
  if (before && listed[0]?.month !== before.month) {
    throw broken(before, `The segment ${before.month}, which was signed here, is missing.`);
  }
  const found: string[] = [];
  let last = before;
  for (const { month, size } of listed) {
    const isSame = last?.month === month;
    if (last && isSame && size < last.size) throw shorter(last, size);
    const { note, consistency } = await client.segment(project, chain, month, isSame ? last?.size : undefined);
    const segment = signed(log, note, month);
    if (last && isSame) compareGrown(last, segment, consistency ?? []);
    else if (last) compareNext(last, segment);
    found.push(note);
    last = segment;
  }
  return found;
}

/**
 * The newest checkpoint of the register of all logs, once every row behind what was signed here leads to it. The rows come as hashes. Throws a
 * `BrokenLog` unless it goes on from what was signed here last.
 *
 * @param before `undefined` for a register that is new.
 */
export async function continuedRegister(
  { client, project, keys }: Omit<Log, 'chain'>,
  before: Checkpoint | undefined,
): Promise<string> {
  let size = before?.size ?? 0;
  let hash = before?.hash;
  for (;;) {
    const { genesis, leaves, signedCheckpoint: note } = await client.register(project, size);
    if (before && genesis.chain !== before.chain) {
      throw brokenRegister(`The register ${before.chain}, which was signed here, was replaced by another one.`);
    }
    const said = readCheckpoint(note);
    if (said?.chain !== genesis.chain || !isSignedBy(note, keys)) {
      throw new BrokenLog('signature', 0, 'The register is not signed by the platform.');
    }
    if (said.size < size) throw brokenRegister(`The register had ${size} rows once, and has ${said.size} now.`);
    hash ??= genesisHash(genesis);
    const linkHash = linkHashOf(genesis.chain, 1);
    for (const leaf of leaves.slice(0, said.size - size)) hash = linkHash(++size, hash, leaf);
    if (size === said.size) {
      if (hash === said.hash) return note;
      throw brokenRegister('The register does not go on from what was signed here.');
    }
    if (leaves.length === 0)
      throw brokenRegister(`Rows of the register up to ${said.size} were signed, and are missing.`);
  }
}

function brokenRegister(message: string): BrokenLog {
  return new BrokenLog('register', 0, message);
}

function signed({ chain, keys }: Log, note: string, month: string): Segment {
  const segment = readSegment(note);
  if (segment?.chain === chain && segment.month === month && isSignedBy(note, keys)) return segment;
  throw new BrokenLog('signature', 0, `The segment ${month} is not signed by the platform, or is of another log.`);
}

/** The same month, later. */
function compareGrown(before: Segment, after: Segment, consistency: readonly string[]): void {
  if (after.size < before.size) throw shorter(before, after.size);
  const isSamePlace = before.first === after.first && before.before === after.before;
  if (!isSamePlace || !isContinued(before, after, consistency)) {
    throw broken(before, `The segment ${before.month} does not go on from what was signed here.`);
  }
}

function compareNext(before: Segment, after: Segment): void {
  if (after.first === before.last + 1 && after.before === before.end) return;
  throw broken(after, `The segment ${after.month} does not begin where ${before.month} ends.`);
}

function shorter(before: Segment, size: number): BrokenLog {
  return broken(before, `The segment ${before.month} had ${before.size} rows once, and has ${size} now.`);
}

function broken({ first }: Segment, message: string): BrokenLog {
  return new BrokenLog('segment', first, message);
}
