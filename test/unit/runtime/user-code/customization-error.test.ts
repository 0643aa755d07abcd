import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { customizationError } from '../../../../src/runtime/user-code/customization-error.ts';

const failed = (message: string, cause: unknown) =>
  cloudError('CUSTOMIZATION_FAILED', message, 'Correct it.', { cause });

describe('customizationError', () => {
  it('tells what the code was doing, and what it threw', () => {
    expect(customizationError(new TypeError('no luck'), 'The segment "Open"', undefined).message).toBe(
      'The segment "Open" threw TypeError: no luck',
    );
  });

  it('adds the words of the code to an error that keeps them back', () => {
    const words = (said: string) =>
      customizationError(failed('The field "label" threw an error.', new Error(said)), 'The code', undefined).message;
    expect(words('no luck')).toBe('The field "label" threw an error. It said: Error: no luck');
    expect(words('label')).toBe('The field "label" threw an error. It said: Error: label');
  });

  it('does not repeat the words that the error has', () => {
    const error = failed('The action "Refund" threw: no luck', new Error('no luck'));
    expect(customizationError(error, 'The customization code', undefined).message).toBe(
      'The action "Refund" threw: no luck',
    );
  });

  it('leaves errors of ours as they are', () => {
    const refused = cloudError('DATABASE_UNREACHABLE', 'It is away.', 'Start it.');
    expect(customizationError(refused, 'The customization code', undefined)).toBe(refused);
  });
});
