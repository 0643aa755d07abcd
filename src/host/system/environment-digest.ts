import { hash } from 'node:crypto';

const length = 16;

/** Names what an agent keeps of one environment on one platform, so that no agent of another one uses it: 16 hex digits. */
export function environmentDigest(envSecret: string, serverUrl: string): string {
  return hash('sha256', `${envSecret} ${serverUrl}`).slice(0, length);
}
