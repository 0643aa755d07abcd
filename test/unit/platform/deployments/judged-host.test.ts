import { describe, expect, it } from 'vitest';
import type { DeploymentRecord } from '#platform/deployments/deployment-repository';
import { judgedHost } from '#platform/deployments/judged-host';

const now = Date.parse('2031-03-04T09:10:11.000Z');

function deployment(number: number, given: Partial<DeploymentRecord> = {}): DeploymentRecord {
  return {
    environmentId: 1,
    number,
    versionNumber: number * 10,
    variablesRevision: 0,
    state: 'live',
    isChecked: true,
    note: null,
    authorId: 1,
    author: { id: 1, firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' },
    idempotencyKey: '',
    requestHash: '',
    createdAt: now,
    finishedAt: now,
    ...given,
  };
}

const host = {
  environmentId: 1,
  id: '7f3a8f0e-8b1c-4d39-9c8e-3f6f2d9a1b2c',
  name: 'berlin-1',
  workers: 2,
  serving: 2,
  checked: null,
  refused: null,
  refusedReason: null,
  seenAt: now,
};
const live = deployment(2);
const idle = { live, unfinished: undefined, served: live, now };

describe('a host', () => {
  it('serves what is live, or is about to be', () => {
    expect(judgedHost(host, idle)).toMatchObject({ state: 'serves', serving: 2, version: 20, wanted: 2 });
    const next = deployment(3, { state: 'checking', isChecked: false });
    expect(judgedHost(host, { ...idle, unfinished: next })).toMatchObject({ state: 'checks', wanted: 2 });
    expect(judgedHost({ ...host, checked: 3 }, { ...idle, unfinished: next }).state).toBe('serves');
    const swapping = { ...next, isChecked: true };
    expect(judgedHost(host, { ...idle, unfinished: swapping })).toMatchObject({ state: 'behind', wanted: 3 });
    const swapped = { ...idle, unfinished: swapping, served: swapping };
    expect(judgedHost({ ...host, serving: 3 }, swapped)).toMatchObject({ state: 'serves', liveSince: null });
  });

  it('is behind while it serves nothing or what served before', () => {
    expect(judgedHost({ ...host, serving: null }, { ...idle, served: undefined }).state).toBe('behind');
    const before = deployment(1, { state: 'replaced', isChecked: false });
    expect(judgedHost({ ...host, serving: 1 }, { ...idle, served: before })).toMatchObject({ state: 'behind' });
  });

  it('contradicts the platform when it says that it serves what no host was ever asked to serve', () => {
    expect(judgedHost({ ...host, serving: 99 }, { ...idle, served: undefined })).toMatchObject({
      state: 'contradicts',
      serving: 99,
      version: null,
      liveSince: null,
    });
    const failed = deployment(1, { state: 'failed', isChecked: false });
    expect(judgedHost({ ...host, serving: 1 }, { ...idle, served: failed })).toMatchObject({
      state: 'contradicts',
      liveSince: null,
    });
  });

  it('is said to refuse what it should serve, and to be gone after a silence', () => {
    const refusing = { ...host, serving: null, refused: 2, refusedReason: 'no database' };
    expect(judgedHost(refusing, { ...idle, served: undefined })).toMatchObject({
      state: 'refuses',
      refused: { deployment: 2, reason: 'no database' },
    });
    expect(judgedHost({ ...host, seenAt: now - 30_000 }, idle)).toMatchObject({ state: 'gone', isConnected: false });
  });
});
