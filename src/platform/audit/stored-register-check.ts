import { genesisHash, type RegisterGenesis } from '#contracts/audit/chain';
import { ChainCheck } from '#contracts/audit/chain-check';
import { type Checkpoint, type CheckpointKey, isSignedBy, readCheckpoint } from '#contracts/audit/checkpoint';
import { cosignedAt } from '#contracts/audit/cosignature';
import {
  type ChainEntry,
  isBehindBackup,
  isLost,
  isSignedRestore,
  keptOf,
  newestRestore,
  type RegisterRow,
  type RestoreEntry,
} from '#contracts/audit/register';
import { readAnchor } from '#contracts/audit/segment';
import { BrokenLog, type Verdict, verdictOf } from '#contracts/audit/verdict';
import type { SqlValue } from '#kernel/ports/sql-row';
import { genesisOf, noteOf } from './stored-chain-check.ts';
import { objectIn, type StoredRow, text } from './stored-row.ts';

export interface StoredRegister {
  readonly genesis: RegisterGenesis;
  /** The row of the genesis. */
  readonly first: StoredRow;
  readonly rows: readonly StoredRow[];
  /** What the rows say, as far as they can be read. */
  readonly entries: readonly RegisterRow[];
  /** Those that the key of the platform has signed. */
  readonly restores: readonly RestoreEntry[];
}

/** What the logs say of the names of projects and of environments that were moved. */
export interface LoggedNames {
  /** By project: the name that it was given last, and when. */
  readonly projects: ReadonlyMap<number, { readonly name: string; readonly at: string }>;
  /** `<project>/<environment>` of those that were taken out of a project. */
  readonly movedAway: ReadonlySet<string>;
}

export interface RegisterCheckInput {
  /** `undefined` where the store has none. */
  readonly register: StoredRegister | undefined;
  readonly keys: readonly CheckpointKey[];
  /** All checkpoints that are kept elsewhere. */
  readonly anchors: readonly string[];
  /**
   * The rows of `audit_chains`, `audit_checkpoints`, `audit_register_checkpoints`, `audit_register_cosignatures`, `projects` and
   * `environments`.
   */
  readonly chains: readonly StoredRow[];
  readonly checkpoints: readonly StoredRow[];
  readonly registerCheckpoints: readonly StoredRow[];
  readonly registerCosignatures: readonly StoredRow[];
  readonly projects: readonly StoredRow[];
  readonly environments: readonly StoredRow[];
  readonly names: LoggedNames;
  /** Whether rows or entries belong to no chain. */
  readonly hasOrphans: boolean;
}

/** The register in a store, before anything is proven; `undefined` for a store without one. */
export function readRegister(rows: readonly StoredRow[], keys: readonly CheckpointKey[]): StoredRegister | undefined {
  const [first, ...others] = rows;
  const genesis = first && objectIn(text(first, 'body'));
  if (!first || typeof genesis?.['chain'] !== 'string') return undefined;
  const entries = others.flatMap((row) => (objectIn(text(row, 'body')) as RegisterRow | undefined) ?? []);
  const restores = entries
    .filter((entry) => entry.object === 'restore')
    .filter((entry) => isSignedRestore(entry, keys));
  return { genesis: genesis as unknown as RegisterGenesis, first, rows: others, entries, restores };
}

/**
 * Compare the logs of a store with its register, both ways, and the checkpoints that are kept elsewhere with both. A checkpoint is
 * looked up by what it says, because its columns are as easy to change as everything else in the store.
 */
export function checkRegister(input: RegisterCheckInput): Verdict {
  const { register, keys } = input;
  let check: ChainCheck<RegisterRow> | undefined;
  let problem: Verdict['problem'] = null;
  try {
    if (register) check = checkRows(register, input);
    compareChains(input);
    compareAnchors(input);
    if (input.hasOrphans) throw new BrokenLog('register', 0, 'The store has rows of a log that is missing.');
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    problem = error.problem;
  }
  const missing = [
    ...(register ? [] : ['The register of the logs is missing; it begins when a platform with a key starts.']),
    ...(register && keys.length > 0 && !check?.signed ? ['The register of the logs is not signed yet.'] : []),
  ];
  const restored = newestRestore(
    register?.restores.filter(({ logChain }) => logChain === register.genesis.chain) ?? [],
  );
  return { ...verdictOf(check, { problem, missing, restored }), chain: register?.genesis.chain ?? null };
}

/** The rows of the register are a chain as those of a log are. */
function checkRows(register: StoredRegister, input: RegisterCheckInput): ChainCheck<RegisterRow> {
  const { genesis, first, rows, restores } = register;
  const { keys, anchors } = input;
  const previousHash = genesisHash(genesis);
  if (first['sequence'] !== 0 || first['hash'] !== previousHash) {
    throw new BrokenLog('genesis', 0, 'The register does not begin with its genesis.');
  }
  const own = input.registerCheckpoints.map(noteOf);
  const kept = keptOf(
    anchors.filter((note) => readCheckpoint(note)?.chain === genesis.chain),
    restoresOf(restores, genesis.chain),
  );
  const check = new ChainCheck<RegisterRow>({
    genesis,
    after: 0,
    previousHash,
    hasGaps: false,
    keys,
    anchors: [...own, ...input.registerCosignatures.map((row) => cosignedNote(row, input.projects)), ...kept],
  });
  let hash = previousHash;
  for (const row of rows) {
    const entry = check.take({ body: text(row, 'body'), hash: text(row, 'hash'), previousHash: hash });
    if (!entry || entry.sequence !== row['sequence']) {
      throw new BrokenLog('order', Number(row['sequence']), 'A row of the register is at the wrong place.');
    }
    hash = text(row, 'hash');
    if (entry.object === 'restore' && !isSignedRestore(entry, keys)) {
      throw new BrokenLog(
        'signature',
        entry.sequence,
        'The platform has not signed what the register says of a restore.',
      );
    }
  }
  check.finish(true);
  return check;
}

/** What another machine has signed of the register, on behalf of a project that is there. */
function cosignedNote(row: StoredRow, projects: readonly StoredRow[]): string {
  const note = text(row, 'note');
  const isOfProject = projects.some(({ id }) => id === row['project_id']);
  if (isOfProject && readCheckpoint(note) && cosignedAt(note, text(row, 'cosigner')) !== undefined) return note;
  throw new BrokenLog('signature', 0, 'The cosignature of the register is not that of its machine.');
}

function compareChains(input: RegisterCheckInput): void {
  const { register, chains } = input;
  if (!register) return;
  const entries = register.entries.filter((entry) => entry.object === 'chain');
  const byChain = Map.groupBy(chains, (chain) => text(chain, 'chain'));
  for (const entry of entries) {
    const [chain, ...others] = byChain.get(entry.logChain) ?? [];
    if (!chain) throw missingLog(entry);
    if (others.length > 0) throw differs(entry, 'it is there twice');
    const genesis = genesisOf(chain);
    if (!genesis || genesisHash(genesis) !== entry.genesisHash) throw differs(entry, 'it begins otherwise');
    if (chain['kind'] !== entry.kind) throw differs(entry, 'it is of another kind');
    if (chain['project_id'] !== entry.projectId || chain['environment_id'] !== entry.environmentId) {
      throw differs(entry, 'it belongs to another project or environment');
    }
    compareNames(entry, input);
    byChain.delete(entry.logChain);
  }
  for (const chain of byChain.keys()) {
    throw new BrokenLog('register', 0, `The register of the platform does not know the log ${chain}.`);
  }
  const begun = register.entries.filter((entry) => entry.object === 'segments').map(({ logChain }) => logChain);
  if (new Set(begun).size < begun.length) {
    throw new BrokenLog('register', 0, 'The register of the platform says twice that a log has segments.');
  }
  const owners = entries.map(({ projectId, environmentId }) => `${projectId}/${environmentId}`);
  if (new Set(owners).size < owners.length) {
    throw new BrokenLog('register', 0, 'The register of the platform has two logs of the same owner.');
  }
}

/** Who asks for a log names its project and its environment. */
function compareNames(entry: ChainEntry & RegisterRow, { projects, environments, names }: RegisterCheckInput): void {
  const project = projects.find(({ id }) => id === entry.projectId);
  const renamed = names.projects.get(entry.projectId);
  const name = renamed && renamed.at > entry.createdAt ? renamed.name : entry.project;
  if (project?.['name'] !== name) throw differs(entry, 'its project has another name');
  if (entry.environmentId === null) return;
  const environment = environments.find(({ id }) => id === entry.environmentId);
  if (environment?.['name'] !== entry.environment) throw differs(entry, 'its environment has another name');
  const isMoved = names.movedAway.has(`${entry.projectId}/${entry.environment}`);
  if (environment?.['project_id'] !== entry.projectId && !isMoved) {
    throw differs(entry, 'its environment is in another project');
  }
}

function compareAnchors({ register, chains, anchors, keys, ...input }: RegisterCheckInput): void {
  const ids = new Map<string, SqlValue | undefined>(chains.map((chain) => [text(chain, 'chain'), chain['id']]));
  const logs = Map.groupBy(input.checkpoints, (row) => row['chain_id']);
  const begun = register?.genesis.createdAt;
  for (const note of anchors) {
    const said = readAnchor(note);
    if (!said) throw new BrokenLog('checkpoint', 0, 'A checkpoint that was kept cannot be read.');
    if (!isSignedBy(note, keys)) {
      throw new BrokenLog('signature', said.size, 'A checkpoint that was kept is not signed by a known key.');
    }
    const isOfRegister = said.chain === register?.genesis.chain;
    if (!isOfRegister && !ids.has(said.chain)) {
      if (isBehindBackup(said, restoresOf(register?.restores ?? [], register?.genesis.chain))) continue;
      throw new BrokenLog('register', said.size, `The log ${said.chain} is missing. It had ${said.size} rows once.`);
    }
    const restores = restoresOf(register?.restores ?? [], said.chain);
    // The note of a segment that grows is not kept in the store.
    const isExpected =
      readCheckpoint(note) !== undefined &&
      begun !== undefined &&
      said.at >= begun &&
      !isLost(said, restores) &&
      !isBehindBackup(said, restores);
    const own = isOfRegister ? input.registerCheckpoints : (logs.get(ids.get(said.chain)) ?? []);
    if (isExpected && !hasNote(own, said)) {
      throw new BrokenLog(
        'checkpoint',
        said.size,
        'Checkpoints of the log were removed from the store: one is kept elsewhere.',
      );
    }
  }
}

function hasNote(rows: readonly StoredRow[], { size, at }: Checkpoint): boolean {
  const time = Date.parse(at);
  return rows.some((row) => row['size'] === size && row['at'] === time);
}

function restoresOf(restores: readonly RestoreEntry[], chain: string | undefined): readonly RestoreEntry[] {
  return restores.filter(({ logChain }) => logChain === chain);
}

function missingLog({ sequence, logChain, ...entry }: ChainEntry & RegisterRow): BrokenLog {
  return new BrokenLog('register', sequence, `The log ${logChain} of ${ownerOf(entry)} is missing.`);
}

function differs({ sequence, logChain, ...entry }: ChainEntry & RegisterRow, why: string): BrokenLog {
  return new BrokenLog(
    'register',
    sequence,
    `The log ${logChain} of ${ownerOf(entry)} is not the one that was registered: ${why}.`,
  );
}

function ownerOf({ project, environment }: Pick<ChainEntry, 'project' | 'environment'>): string {
  return environment === null ? `the project "${project}"` : `the environment "${environment}" of "${project}"`;
}
