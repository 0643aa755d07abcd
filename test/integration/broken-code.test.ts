import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startClients } from '../helpers/clients-in-a-loop.ts';
import { type DevSession, startDevSession } from '../helpers/dev-session.ts';

const clients = 20;
/** What a broken version does where it stands; the code before it serves. */
const atLoad = {
  'a syntax error': 'export default (agent) => { ; } } ;',
  'an error that is thrown': "export default () => { throw new Error('broken on purpose'); };",
  'an endless loop': 'export default () => {\n  for (;;) {}\n};',
  'an exit': 'export default () => {\n  process.exit(3);\n};',
};
const codes = {
  'a syntax error': 'BUILD_FAILED',
  'an error that is thrown': 'CUSTOMIZATION_FAILED',
  'an endless loop': 'CUSTOMIZATION_UNRESPONSIVE',
  'an exit': 'CUSTOMIZATION_EXITED',
};

/** An action whose code does what is given, and a field that shows which code serves. */
const withAction = (does: string) => `export default (agent) =>
  agent.customizeCollection('products', (products) =>
    products
      .addAction('Break', { scope: 'Global', execute: async () => {
        await null;
        ${does}
      } }));`;

function load({ ready }: DevSession) {
  const url = `${ready.agent.url}/products?fields[products]=id,name&page[size]=5&timezone=UTC`;
  return startClients(url, ready.token, clients);
}

it('serves on while code of every broken kind is loaded: no connection breaks, and no request fails', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const session = await startDevSession();
  const { met, rounds, stop } = load(session);
  await rounds(1);
  for (const kind of Object.keys(atLoad) as (keyof typeof atLoad)[]) {
    await writeFile(session.entry, atLoad[kind]);
    const { error, serves } = await session.next('error');
    expect([kind, error.code, serves]).toEqual([kind, codes[kind], 'last-good']);
    expect(error.location).toMatchObject({ file: session.entry, frame: expect.stringContaining('> ') });
    await rounds(2);
  }
  await stop();
  expect(met.broken).toEqual([]);
  expect([...met.statuses.keys()]).toEqual([200]);
});

it.each([
  ['an endless loop', 'for (;;) {}', 'CUSTOMIZATION_UNRESPONSIVE'],
  ['an exit', 'process.exit(3);', 'CUSTOMIZATION_EXITED'],
])(
  'serves on when a handler runs into %s: no connection breaks, and requests in flight get 503',
  { tags: 'long', timeout: 120_000 },
  async (_kind, does, code) => {
    const session = await startDevSession();
    await writeFile(session.entry, withAction(does));
    await session.next('reloaded');
    const { met, rounds, stop } = load(session);
    await rounds(2);
    const answer = await fetch(`${session.ready.agent.url}/_actions/products/0/break?timezone=UTC`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.ready.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { attributes: { ids: [], values: {} } } }),
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    const { error } = await session.next(code === 'CUSTOMIZATION_EXITED' ? 'request-failed' : 'error');
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining('The action "Break" of "products"'),
      location: { file: session.entry, line: 6, frame: expect.stringContaining('> 6 |') },
    });
    await rounds(2);
    await stop();
    expect(met.broken).toEqual([]);
    const { 200: served = 0, 503: lost = 0, ...others } = Object.fromEntries(met.statuses);
    expect(others).toEqual({});
    expect(served).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(code === 'CUSTOMIZATION_EXITED' ? 0 : clients);
    expect(met.withoutRetryAfter).toBe(0);
  },
);

it('shows no lines of a file that was saved after the code that fails had been loaded', {
  timeout: 60_000,
}, async () => {
  const session = await startDevSession();
  const run = async () => {
    const url = `${session.ready.agent.url}/_actions/products/0/break?timezone=UTC`;
    const headers = { authorization: `Bearer ${session.ready.token}`, 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: '{"data":{"attributes":{}}}' })).status;
  };
  await writeFile(session.entry, withAction("throw new Error('broken on purpose');"));
  await session.next('reloaded');
  expect(await run()).toBe(500);
  expect((await session.next('request-failed')).error.location).toMatchObject({
    line: 6,
    frame: expect.stringContaining('> 6 |'),
  });
  // It does not load, so the code before it serves on.
  await writeFile(session.entry, `// another line\n${atLoad['an error that is thrown']}`);
  expect((await session.next('error')).error.location?.frame).toContain('broken on purpose');
  expect(await run()).toBe(500);
  const { location } = (await session.next('request-failed')).error;
  expect([location?.line, location?.frame]).toEqual([6, undefined]);
});
