import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RowProof, rowProofSchema, verifyRowProof } from '#contracts/audit/row-proof';
import { verifierOf } from '#contracts/audit/signing';
import type { Verdict } from '#contracts/audit/verdict';
import { type VerifyOptions, verifyExport } from '#contracts/audit/verify-export';
import { verifySegment } from '#contracts/audit/verify-segment';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import { openStore, type StoreAddress } from '#platform/store/open-store';
import { copiesOfFile } from '../contract/audit/tampering/attacked-store.ts';
import { AuditedPlatform, platformKey } from '../contract/audit/tampering/audited-platform.ts';
import { drawMutation, drawsOf } from '../contract/audit/tampering/mutations.ts';
import { provedColumns } from '../contract/audit/tampering/proved-columns.ts';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { randomSeed } from '../helpers/random-seed.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);
const fixtures = path.resolve(import.meta.dirname, '../fixtures/audit');
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
const reason = hasPython ? '' : ' (skipped: on Debian, apt-get install python3 python3-cryptography)';

interface SecondVerdict {
  readonly outcome: 'holds' | 'broken' | 'unverifiable';
  readonly sequence?: number;
  readonly rows?: number;
  readonly head?: string;
}

/** The verdicts of the verifier in Python. */
async function verifyInPython(
  key: string,
  files: readonly string[],
  anchors?: string,
): Promise<readonly SecondVerdict[]> {
  const options = anchors === undefined ? [] : ['--anchors', anchors];
  const { stdout } = await run('python3', [path.join(fixtures, 'verify.py'), ...options, key, ...files]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SecondVerdict);
}

/** What the console computes in a browser, here in a process that has Web Crypto only. */
async function verifyAsInBrowser(
  folder: string,
  files: readonly string[],
  options: VerifyOptions,
): Promise<readonly Verdict[]> {
  const asked = path.join(folder, 'asked.json');
  await writeFile(asked, JSON.stringify({ files, options }));
  const conditions = ['--conditions=vendor-source', '--conditions=vendor-browser'];
  const script = fileURLToPath(new URL('../helpers/verify-as-in-browser.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [...conditions, script, asked], { maxBuffer: 1e8 });
  return JSON.parse(stdout) as readonly Verdict[];
}

/** An export, and the key of its platform. */
async function freshExport() {
  const folder = await temporaryFolder();
  const { report, text, json } = await startAuditApi({ store: `sqlite:${path.join(folder, 'store.sqlite')}` });
  const ids = Array.from({ length: 2_300 }, (_, index) => String(index));
  const long = activity({ action: 'delete', recordIds: ids.slice(0, 1_000), recordCount: ids.length });
  const pending = activity({ status: 'pending', durationMs: null });
  await report([
    ...Array.from({ length: 30 }, () => activity({ label: 'ü ☕ \u2028 "\\' })),
    long,
    { id: long.id, part: 1, recordIds: ids.slice(1_000, 2_000) },
    pending,
  ]);
  await report([{ ...pending, status: 'failed' }, activity()]);
  await report([{ id: long.id, part: 2, recordIds: ids.slice(2_000) }, activity()]);
  const whole = await text('/environment/development/activity-logs/export');
  const segment = await text(`/environment/development/activity-logs/segments/${new Date().toISOString().slice(0, 7)}`);
  const proof = await text(`/environment/development/activity-logs/${long.id}/proof`);
  const { keys } = (await json('/integrity')).body as { readonly keys: readonly string[] };
  return { folder, whole, segment, proof, key: keys[0] ?? '' };
}

/** The exports of all logs of a store that can be exported, by their ids. */
async function exportsOf(place: StoreAddress): Promise<ReadonlyMap<string, string>> {
  const store = await openStore(place);
  try {
    const key = deriveCheckpointKey(platformKey);
    const clock = { now: () => Date.now() + 1e12, monotonicMs: () => 0 };
    const checkpoints = createCheckpoints({ store, clock, key, keep: async () => undefined });
    const exports = new Map<string, string>();
    for (const chain of await store.db.selectFrom('auditChains').selectAll().execute()) {
      let text = '';
      const input = { chain, after: 0, maxRows: 1e6, signer: { key, checkpoints }, cursorAt: String };
      try {
        for await (const part of exportAsLines(store.db, input)) text += part;
      } catch (error) {
        // Such an export is cut off, or none at all.
        text += error instanceof Error ? '' : String(error);
      }
      exports.set(chain.chain, text);
    }
    return exports;
  } finally {
    await store.close();
  }
}

/** It does not matter which of the signed checkpoints an export has: each of them is true. */
function shownBy(text: string): string {
  return text.replaceAll(/"signedCheckpoint":(?:"[^"]*"|null)/g, '');
}

/** One damage to an export. */
function damagedExports(whole: string): fc.Arbitrary<string> {
  const lines = whole.split('\n').slice(0, -1);
  const index = fc.nat(lines.length - 1);
  const joined = (list: readonly string[]) => `${list.join('\n')}\n`;
  const changed = fc
    .tuple(fc.nat(whole.length - 2), fc.constantFrom('0', '7', 'a', 'Z', ' ', '"'))
    .map(([at, other]) => whole.slice(0, at) + (whole[at] === other ? '1' : other) + whole.slice(at + 1));
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    index.map((at) => joined(lines.toSpliced(at, 1))),
    fc.tuple(index, index).map(([at, from]) => joined(lines.toSpliced(at, 0, lines[from] ?? ''))),
    fc
      .tuple(index, index)
      .map(([one, other]) => joined(lines.with(one, lines[other] ?? '').with(other, lines[one] ?? ''))),
    fc.nat(whole.length).map((end) => whole.slice(0, end)),
  );
}

/** The later rows of an act: fewer, twice, in another order, of another place, or the act itself. */
function damagedFurther({ further = [], body, index, path }: RowProof): readonly NonNullable<RowProof['further']>[] {
  const moved = further.map((row) => ({ ...row, index: row.index + 1 }));
  return [further.slice(1), [...further, ...further], further.toReversed(), moved, [{ body, index, path }]];
}

/** A proof with one character or one hash that is another one. */
function damagedProofs(proof: string): fc.Arbitrary<string> {
  const parsed = JSON.parse(proof) as RowProof;
  const changed = fc
    .tuple(fc.nat(proof.length - 1), fc.constantFrom('0', '7', 'a', 'Z', ' '))
    .map(([at, other]) => proof.slice(0, at) + (proof[at] === other ? '1' : other) + proof.slice(at + 1));
  const written = (change: Partial<RowProof>) => JSON.stringify({ ...parsed, ...change });
  return fc.oneof(
    changed,
    fc.nat(parsed.path.length - 1).map((at) => written({ path: parsed.path.toSpliced(at, 1) })),
    fc.nat(60).map((index) => written({ index })),
    fc.constantFrom(...damagedFurther(parsed)).map((further) => written({ further })),
  );
}

function firstOnProof(text: string, keys: VerifyOptions['keys']): { readonly outcome: string } {
  try {
    return verifyRowProof(rowProofSchema.parse(JSON.parse(text)), keys);
  } catch {
    return { outcome: 'broken' };
  }
}

describe.skipIf(!hasPython)(`a second verifier, in another language${reason}`, () => {
  it('agrees with the first one on a fresh export and on 300 damaged ones, and so does the one in the browser', {
    tags: 'long',
  }, async () => {
    const { folder, whole, key } = await freshExport();
    const texts = [whole, ...fc.sample(damagedExports(whole), 300)];
    const files = await Promise.all(
      texts.map(async (text, index) => {
        const file = path.join(folder, `${index}.ndjson`);
        await writeFile(file, text);
        return file;
      }),
    );
    const second = await verifyInPython(key, files);
    const options: VerifyOptions = { keys: [{ verifier: key }] };
    expect(second[0]).toMatchObject({ outcome: 'holds' });
    const verdicts = await Promise.all(texts.map((text) => verifyExport(text.split('\n'), options)));
    expect(await verifyAsInBrowser(folder, files, options)).toEqual(json(verdicts));
    let broken = 0;
    for (const [index, first] of verdicts.entries()) {
      const { outcome, sequence } = second[index] ?? {};
      const what = `${files[index]} ${JSON.stringify(first.problem)} ${JSON.stringify(second[index])}`;
      expect(outcome, what).toBe(first.outcome);
      // What cannot be read has no sequence of its own.
      const isReadable = first.problem?.kind !== 'unreadable' && !first.problem?.message.endsWith('cannot be read.');
      if (first.problem && isReadable) expect(sequence, what).toBe(first.problem.sequence);
      if (first.problem) broken++;
    }
    expect(broken).toBeGreaterThan(100);
  });

  it('agrees with the first one on segments and proofs, and on damaged ones', { tags: 'long' }, async () => {
    const { folder, segment, proof, key } = await freshExport();
    const keys = [{ verifier: key }];
    const cut = `${segment.split('\n').slice(0, -3).join('\n')}\n`;
    const texts = [
      segment,
      cut,
      ...fc.sample(damagedExports(segment), 149),
      proof,
      ...fc.sample(damagedProofs(proof), 150),
    ];
    const files = texts.map((_, index) => path.join(folder, `${index}.part`));
    await Promise.all(texts.map((text, index) => writeFile(files[index] ?? '', text)));
    const second = await verifyInPython(key, files);
    const outcomes = new Set<string>();
    for (const [index, text] of texts.entries()) {
      const { outcome } =
        index <= 150 ? await verifySegment(text.split('\n'), { keys, anchors: [] }) : firstOnProof(text, keys);
      // Where the first line is not that of a segment or of a proof, the second verifier reads an export.
      if (!/^\{"object":"(?:segment|proof)","format":1,/.test(text)) continue;
      expect(second[index]?.outcome, `${files[index]} ${JSON.stringify(second[index])}`).toBe(outcome);
      outcomes.add(outcome);
    }
    expect(second[0]).toMatchObject({ outcome: 'holds' });
    expect(second[151]).toMatchObject({ outcome: 'holds' });
    expect([...outcomes].sort()).toEqual(['broken', 'holds', 'unverifiable']);
  });

  it(`finds all that exports of changed stores can show, and so does the first one (seed ${randomSeed})`, {
    tags: 'long',
  }, async () => {
    const folder = await temporaryFolder();
    const storage = path.join(folder, 'platform.sqlite');
    const platform = new AuditedPlatform({ dialect: 'sqlite', storage });
    await platform.use((store) => platform.fill(store));
    const kept = path.join(folder, 'checkpoints');
    await writeFile(kept, platform.kept.join('\n'));
    const copy = copiesOfFile(storage, folder);
    const untouched = await copy();
    const tables = Object.keys(provedColumns);
    const contents = Object.fromEntries(
      await Promise.all(tables.map(async (table) => [table, await untouched.rows(table)] as const)),
    );
    await untouched.close();
    const whole = await exportsOf(platform.place);
    const draw = drawsOf(randomSeed);
    const files: string[] = [];
    const first: Verdict[] = [];
    const options = { keys: [verifierOf(deriveCheckpointKey(platformKey))], anchors: platform.kept };
    for (const text of whole.values())
      expect(await verifyExport(text.split('\n'), options)).toMatchObject({ outcome: 'holds' });
    while (files.length < 150) {
      const mutation = drawMutation(contents, draw);
      if (!mutation) continue;
      const store = await copy();
      const isDone = await store.execute(mutation.statements).then(
        () => true,
        () => false,
      );
      await store.close();
      const changed = isDone ? await exportsOf(store.place) : new Map<string, string>();
      for (const [log, text] of changed) {
        // Whether a register was there, only the store shows: exports of older platforms have none.
        const hasLostRegister = mutation.kind.includes('register') && !text.includes('"register":');
        // A log of another name is not there under its own.
        if (!whole.has(log)) continue;
        if (shownBy(text) === shownBy(whole.get(log) ?? '') || hasLostRegister) continue;
        const file = path.join(folder, `${files.length}.changed`);
        await writeFile(file, text);
        files.push(file);
        first.push(await verifyExport(text.split('\n'), options));
        expect(first.at(-1)?.outcome, `${mutation.statements.join(';\n')}\n${log}`).not.toBe('holds');
      }
    }
    const second = await verifyInPython(options.keys[0]?.verifier ?? '', files, kept);
    expect(second.map(({ outcome }) => outcome)).toEqual(first.map(({ outcome }) => outcome));
    expect(await verifyAsInBrowser(folder, files, options)).toEqual(json(first));
  });

  it('comes to the hash that the golden export has', async () => {
    const file = path.join(fixtures, 'golden.ndjson');
    const key = (await readFile(path.join(fixtures, 'golden.pub'), 'utf8')).trim();
    const golden = JSON.parse(await readFile(path.join(fixtures, 'golden.json'), 'utf8')) as SecondVerdict;
    expect(await verifyInPython(key, [file])).toEqual([golden]);
  });

  it('comes to the hashes that the exports of format 2 have, whose rows are of both versions', async () => {
    const { key, files, verdicts } = await exportsOfFormat2();
    expect(await verifyInPython(key, files)).toEqual(verdicts);
  });
});

/** What is left of values in JSON: members that are not there are missing. */
function json(values: unknown): unknown {
  return JSON.parse(JSON.stringify(values));
}

/** Two logs from which a person was erased. */
async function exportsOfFormat2() {
  const read = async (name: string) => (await readFile(path.join(fixtures, name), 'utf8')).trim();
  return {
    key: await read('format-2.pub'),
    files: ['activity', 'admin'].map((log) => path.join(fixtures, `format-2-${log}.ndjson`)),
    verdicts: JSON.parse(await read('format-2.json')) as SecondVerdict[],
  };
}

it('the verifier in the browser holds the golden export and those of format 2, and not with the key of a stranger', async () => {
  const folder = await temporaryFolder();
  const { key, files } = await exportsOfFormat2();
  const golden = path.join(fixtures, 'golden.ndjson');
  const keys = [key, (await readFile(path.join(fixtures, 'golden.pub'), 'utf8')).trim()].map((verifier) => ({
    verifier,
  }));
  for (const options of [{ keys }, { keys: [verifierOf(deriveCheckpointKey('cd'.repeat(32)))] }, { keys: [] }]) {
    const texts = await Promise.all([...files, golden].map((file) => readFile(file, 'utf8')));
    const verdicts = await Promise.all(texts.map((text) => verifyExport(text.split('\n'), options)));
    expect(await verifyAsInBrowser(folder, [...files, golden], options)).toEqual(json(verdicts));
    expect(verdicts.every(({ outcome }) => (outcome === 'holds') === (options.keys === keys))).toBe(true);
  }
});

it('the first verifier holds the exports of format 2, which never changes', async () => {
  const { key, files, verdicts } = await exportsOfFormat2();
  for (const [index, file] of files.entries()) {
    const verdict = await verifyExport((await readFile(file, 'utf8')).split('\n'), { keys: [{ verifier: key }] });
    expect(verdict).toMatchObject({ outcome: 'holds', rows: verdicts[index]?.rows, problem: null });
  }
});

it('the first verifier holds the golden export, whose format never changes', async () => {
  const lines = (await readFile(path.join(fixtures, 'golden.ndjson'), 'utf8')).split('\n');
  const key = await readFile(path.join(fixtures, 'golden.pub'), 'utf8');
  expect(await verifyExport(lines, { keys: [{ verifier: key }] })).toMatchObject({ outcome: 'holds', rows: 11 });
});
