import { expect, it } from 'vitest';
import { noToken } from '#flows/platform-access/connect-to-platform';

it.each([
  ['http://127.0.0.1:3310', 'vendor-cloud login --server-url https://platform.example.com'],
  ['https://admin.example.test', 'vendor-cloud login --server-url https://admin.example.test'],
])('a missing token for %s leads to a sign-in that can succeed', (url, command) => {
  const [, second] = noToken(url).nextSteps;
  expect(second).toBe(`For that of a team: ${command}; a script sets SERVICE_AUTH_TOKEN.`);
});
