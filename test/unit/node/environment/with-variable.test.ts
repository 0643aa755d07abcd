import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withVariable } from '#node/environment/process-environment';

const name = 'VENDOR_CLOUD_TEST_VARIABLE';
const valueInProgram = () =>
  execFileSync(process.execPath, ['-p', `String(process.env.${name})`], { encoding: 'utf8' }).trim();

describe('a variable for one program', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('reaches the program that is started, and no other one', () => {
    expect(withVariable(name, '400', valueInProgram)).toBe('400');
    expect(valueInProgram()).toBe('undefined');
  });

  it('keeps the value that the user has set', () => {
    vi.stubEnv(name, '50');
    expect(withVariable(name, '400', valueInProgram)).toBe('50');
    expect(valueInProgram()).toBe('50');
  });

  it('is gone when the program cannot be started', () => {
    const fail = () => {
      throw new TypeError('no such program');
    };
    expect(() => withVariable(name, '400', fail)).toThrow('no such program');
    expect(process.env[name]).toBeUndefined();
  });
});
