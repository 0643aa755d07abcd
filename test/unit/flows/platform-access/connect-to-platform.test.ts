import { expect, it } from 'vitest';
import { noToken } from '#flows/platform-access/connect-to-platform';

it.each([
  ['http://127.0.0.1:3310', 'For that of a team: vendor-cloud login --server-url https://platform.example.com'],
  ['https://admin.example.test', 'Sign in: vendor-cloud login --server-url https://admin.example.test'],
])('a missing token for %s leads to a sign-in that can succeed', (url, command) => {
  expect(noToken(url).nextSteps.at(-1)).toBe(`${command}; a script sets SERVICE_AUTH_TOKEN.`);
});

it('a platform that somebody chose is not taken for that of dev', () => {
  expect(noToken('https://admin.example.test').nextSteps).toHaveLength(1);
  expect(noToken('http://127.0.0.1:3310').nextSteps).toHaveLength(2);
});
