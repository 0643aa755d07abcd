import { expect, it } from 'vitest';
import { noteNewSecret, renderTokens } from '#cli/rendering/render-api-tokens';
import { createStyle, type Terminal } from '#cli/terminal/terminal';
import type { ApiToken } from '#contracts/api-tokens';

const plain = createStyle(false);
const notes: string[] = [];
const terminal: Terminal = {
  isJson: false,
  style: plain,
  resultStyle: plain,
  columns: 80,
  resultColumns: 80,
  result: () => undefined,
  note: (line) => void notes.push(line),
  json: () => undefined,
};
const token: ApiToken = {
  id: 3,
  name: 'siem',
  hint: 'a1B2',
  scopes: ['all'],
  allowedCidrs: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: { id: 1, name: 'Ada', email: 'ada@example.test' },
  lastUsedAt: null,
  lastUsedAddress: null,
  expiresAt: '2026-04-01T00:00:00.000Z',
  expiresSoon: false,
  revokedAt: null,
  state: 'active',
};

it('the list of tokens says which ones to rotate', () => {
  const tokens: ApiToken[] = [
    { ...token, lastUsedAt: '2026-03-01T10:00:00.000Z' },
    { ...token, id: 1234, name: 'the agent of the accounting department', expiresSoon: true },
    { ...token, id: 5, expiresAt: null, scopes: ['activity_logs:read', 'admin_logs:read', 'notes:read'] },
    { ...token, id: 6, state: 'revoked', scopes: ['activity_logs:read', 'admin_logs:read', 'notes:write'] },
  ];
  const lines = renderTokens({ project: 'shop', tokens }, terminal).split('\n');
  expect(lines).toEqual([
    'ID    NAME                SECRET  EXPIRES       LAST USED   SCOPES',
    '3     siem                …a1B2   2026-04-01    2026-03-01  all',
    '1234  the agent of the …  …a1B2   2026-04-01 !  never       all',
    '5     siem                …a1B2   never         never       read-only',
    '6     siem                …a1B2   revoked       never       activity_logs:read …',
    '',
    '! Token 1234 expires soon. Rotate it: vendor-cloud tokens rotate 1234',
  ]);
});

it('a list without tokens says how to make one', () => {
  expect(renderTokens({ project: 'shop', tokens: [] }, terminal)).toBe(
    'shop has no API token yet. Make one: vendor-cloud tokens create <name>',
  );
});

it('the words beside a new secret do not show it', () => {
  noteNewSecret({ ...token, project: 'shop', token: 'svc_live_x' }, terminal);
  expect(notes).toEqual([
    '✔ Token 3 "siem" of shop may use: all.',
    '  It expires on 2026-04-01. Keep the secret now: it is not shown again.',
  ]);
});
