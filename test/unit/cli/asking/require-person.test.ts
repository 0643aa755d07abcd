import { expect, it } from 'vitest';
import { requirePerson } from '#cli/asking/read-secret';

it('a sign-in in a browser is refused in CI and under --json, and not without a terminal', () => {
  const call = (isJson: boolean, variables: Record<string, string>) => () =>
    requirePerson({ terminal: { isJson }, environment: { variables } });
  expect(call(false, {})).not.toThrow();
  expect(call(true, {})).toThrow('Signing in needs a person');
  expect(call(false, { CI: 'true' })).toThrow('Signing in needs a person');
});
