import type { Check } from '#contracts/checks';
import type { Messages } from '../messages/index.ts';

interface Verdict {
  readonly kind: 'danger' | 'warning' | 'success';
  readonly title: string;
}

/** What all checks come to. A check that was left out does not count as fine. */
export function verdictOn(checks: readonly Pick<Check, 'status'>[], messages: Messages['checks']): Verdict {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length;
  if (count('failed') > 0) return { kind: 'danger', title: messages.unhealthy };
  if (count('warning') > 0) return { kind: 'warning', title: messages.warned };
  const skipped = count('skipped');
  return { kind: 'success', title: skipped > 0 ? messages.healthyInPart(skipped) : messages.healthy };
}
