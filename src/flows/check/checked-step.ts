import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';

/** What `check` looks at, in the order in which it is reported. */
export type CheckName = 'bundle' | 'types' | 'load' | 'permissions' | 'typings' | 'schema' | 'insights';

export interface CheckedStep {
  readonly name: CheckName;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, or what it was checked against. */
  readonly note?: string;
  readonly problems: readonly CloudError[];
  /** What is not a fault of the project, and may still be a mistake. */
  readonly warnings?: readonly string[];
}

export function passed(name: CheckName, note?: string): CheckedStep {
  return { name, state: 'passed', ...(note === undefined ? {} : { note }), problems: [] };
}

export function skipped(name: CheckName, note: string): CheckedStep {
  return { name, state: 'skipped', note, problems: [] };
}

export function failed(name: CheckName, problems: readonly CloudError[]): CheckedStep {
  return { name, state: 'failed', problems };
}

/** A step that fails where its work rejects with something the user can fix. A bug stays one. */
export async function stepOf<Value>(
  name: CheckName,
  work: () => Promise<Value>,
): Promise<{ readonly step: CheckedStep; readonly value: Value | undefined }> {
  try {
    return { value: await work(), step: passed(name) };
  } catch (thrown) {
    const error = toCloudError(thrown);
    if (error.kind === 'bug' || error.code === 'INTERRUPTED') throw error;
    return { value: undefined, step: failed(name, [error]) };
  }
}
