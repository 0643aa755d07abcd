import { describe, expect, it } from 'vitest';
import { type CatalogueEntry, catalogue } from '#kernel/errors/catalogue';
import { cloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import { reviveError } from '#kernel/errors/revive-error';

const notFound = () => cloudError('PROJECT_NOT_FOUND', 'No project.', 'Create one.', { safeDetails: { path: '/x' } });

describe('CloudError', () => {
  it('takes kind and recovery from the catalogue', () => {
    expect(notFound()).toMatchObject({ kind: 'user', recover: 'edit-files', nextSteps: ['Create one.'] });
  });

  it('is known across copies of the package by its brand, not by its class', () => {
    const brand = Symbol.for('@vendor/cloud/CloudError');
    const foreign = Object.defineProperty(new Error('from another copy'), brand, { value: true });
    expect(isCloudError(foreign)).toBe(true);
    expect(isCloudError(new Error('plain'))).toBe(false);
  });

  it('makes a bug of whatever else is thrown, and keeps it as the cause', () => {
    const cause = new TypeError('x is not a function');
    expect(toCloudError(cause)).toMatchObject({ code: 'INTERNAL_BUG', kind: 'bug', cause });
    expect(toCloudError('text').message).toContain('text');
  });

  it('demands a next step of every error that is not a bug', () => {
    // @ts-expect-error nextSteps is missing
    cloudError('PROJECT_NOT_FOUND', 'No project.');
    // @ts-expect-error nextSteps is empty
    cloudError('PROJECT_NOT_FOUND', 'No project.', []);
    expect(cloudError('INTERNAL_BUG', 'Ours.').nextSteps).toEqual([]);
  });

  it('crosses a thread as a report without stack, cause and safe details', () => {
    const report = reportOfError(notFound());
    expect(report).toEqual({
      code: 'PROJECT_NOT_FOUND',
      kind: 'user',
      recover: 'edit-files',
      message: 'No project.',
      nextSteps: ['Create one.'],
    });
    expect(reviveError(structuredClone(report))).toMatchObject({ code: 'PROJECT_NOT_FOUND', message: 'No project.' });
  });
});

describe('the catalogue', () => {
  it('explains every code in full sentences', () => {
    for (const [code, entry] of Object.entries<CatalogueEntry>(catalogue)) {
      expect(`${entry.cause}`, code).toMatch(/\.$/);
      expect(entry.fix, code).toMatch(/\.$/);
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    }
  });
});
