import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readStretches } from '#contracts/audit/act-stretch';
import { verifyLog } from '#flows/audit/verify-audit-log';
import { readInThreads } from '#platform/audit/read-in-threads';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { exportedLog } from '../helpers/exported-log.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { makeTailFolder } from '../helpers/log-tail.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const rows = 6_000;
const log = exportedLog(rows);
const [{ verifier = '' } = {}] = log.keys;

/** A file with an export, and how it is verified with a state beside it. */
async function exportedFile(lines: readonly string[]) {
  const folder = await temporaryFolder();
  const write = (text: readonly string[]) => writeFile(path.join(folder, 'audit.ndjson'), `${text.join('\n')}\n`);
  await write(lines);
  const input = { folder, file: 'audit.ndjson', isAdmin: false, anchors: [], witnesses: [] };
  return {
    write,
    verify: (state?: string, keys: readonly string[] = [verifier]) =>
      verifyLog(flowContext(folder), { ...input, keys, state }),
    stateOf: async () => JSON.parse(await readFile(path.join(folder, 'audit.state'), 'utf8')) as { place: number },
    breakState: () => writeFile(path.join(folder, 'audit.state'), '{"object":"verificationState"'),
  };
}

it('threads hand over the lines of a log in their order, verified as one thread would have', async () => {
  const text = log.part(0, rows).join('\n');
  const halves = [
    `${text.slice(0, text.indexOf('\n', text.length / 2))}\n`,
    text.slice(text.indexOf('\n', text.length / 2) + 1),
  ];
  async function* texts() {
    for (const [place, half] of halves.entries()) yield { text: half, place };
  }
  const read: unknown[] = [];
  const places: unknown[] = [];
  let stretches = 0;
  for await (const { lines, place } of readInThreads(texts(), { ends: new Set([4_321]) }, 2)) {
    if (place !== undefined) places.push(place);
    for (const line of lines) {
      if (typeof line === 'string') read.push(line);
      else {
        stretches++;
        read.push(...line.lines());
      }
    }
  }
  expect(read.filter((line) => line !== '')).toEqual(log.part(0, rows));
  expect(places).toEqual([0, 1]);
  expect(stretches).toBeGreaterThan(100);
  expect(readStretches(`${log.rows[0]}\n`, { ends: new Set() })).toHaveLength(1);
});

it('a file is verified on where an earlier run ended, and whole without the state', async () => {
  const part = log.part(0, 4_000);
  const file = await exportedFile(part);
  await expect(file.verify('audit.state')).rejects.toMatchObject({ code: 'AUDIT_LOG_UNVERIFIABLE' });
  expect((await file.stateOf()).place).toBe(Buffer.byteLength(`${part.join('\n')}\n`));

  const whole = [...part, ...log.part(4_000, rows)];
  await file.write(whole);
  const held = { outcome: 'holds', rows, first: 1, last: rows };
  expect(await file.verify('audit.state')).toMatchObject({ ...held, earlier: { to: 4_000 } });
  expect(await file.verify('audit.state')).toMatchObject({ ...held, earlier: { to: rows } });
  expect(await file.verify()).not.toHaveProperty('earlier');

  const changed = whole.with(51, (whole[51] ?? '').replace('"update"', '"create"'));
  await file.write(changed);
  expect(await file.verify('audit.state')).toMatchObject({ outcome: 'holds', earlier: { to: rows } });
  await expect(file.verify()).rejects.toMatchObject({ code: 'AUDIT_LOG_BROKEN', message: /Row 51 was changed/ });
});

it('a state that was broken, or is of something else, is refused, and says how to go on', async () => {
  const file = await exportedFile(log.part(0, rows));
  await file.verify('audit.state');
  const refused = (message: RegExp) => ({ code: 'USAGE_INVALID', message: expect.stringMatching(message) });
  await expect(file.verify('audit.state', [])).rejects.toMatchObject(refused(/other public keys/));
  await file.write(log.part(0, 100));
  await expect(file.verify('audit.state')).rejects.toMatchObject(refused(/no line begins there/));
  await file.write(log.segment);
  await expect(file.verify('audit.state')).rejects.toMatchObject(refused(/is a segment/));
  await file.breakState();
  await expect(file.verify('audit.state')).rejects.toMatchObject(refused(/was cut off, or somebody changed it/));
});

it('the log of a platform is verified on behind the rows that an earlier run has verified', async () => {
  const folder = await temporaryFolder();
  await makeTailFolder(folder);
  const api = await startAuditApi({ store: `sqlite:${path.join(folder, 'store.sqlite')}` });
  const variables = { SERVICE_SERVER_URL: api.sandbox.url, SERVICE_AUTH_TOKEN: api.token };
  const context = { ...flowContext(folder), variables };
  const input = { folder, isAdmin: false, keys: [], anchors: [], witnesses: [] };
  const verify = (state?: string) => verifyLog(context, { ...input, state });
  await api.report(Array.from({ length: 30 }, () => activity()));
  const first = await verify('audit.state');
  expect(first).toMatchObject({ outcome: 'holds', first: 1 });
  expect(first).not.toHaveProperty('earlier');
  await api.report(Array.from({ length: 5 }, () => activity()));
  const second = await verify('audit.state');
  expect(second).toMatchObject({ outcome: 'holds', first: 1, rows: first.rows + 5, earlier: { to: first.rows } });
  expect(second.register).toBe(first.register);
  await expect(verifyLog(context, { ...input, isAdmin: true, state: 'audit.state' })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: 'audit.state remembers another log.',
  });
});
