import { expect, it } from 'vitest';
import type { DevEvent } from '#flows/dev/dev-event';
import { holdUntilReady } from '#flows/dev/hold-until-ready';

const ready: DevEvent = {
  event: 'ready',
  project: { path: '/shop' },
  agent: { url: 'http://127.0.0.1:1/service' },
  sandbox: { url: 'http://127.0.0.1:2', isLocal: true },
  console: { url: 'http://127.0.0.1:2/console/' },
  mcp: { url: 'http://127.0.0.1:3/mcp', token: '' },
  token: '',
  as: null,
  collections: [],
};

it('an event from before "ready" is reported after it, in order; what code prints is reported at once', () => {
  const told: string[] = [];
  const tell = holdUntilReady(({ event }) => told.push(event));
  tell({ event: 'typings', path: '/shop/typings.d.ts' });
  tell({ event: 'output', text: 'hello' });
  tell({ event: 'restarted' });
  expect(told).toEqual(['output']);
  tell(ready);
  tell({ event: 'stopped' });
  expect(told).toEqual(['output', 'ready', 'typings', 'restarted', 'stopped']);
});
