import type { Upgrade } from '#flows/upgrade/upgrade';
import type { Terminal } from './terminal.ts';

export function renderUpgrade({ from, to, command, isUpgraded }: Upgrade, { resultStyle }: Terminal): string {
  if (command === null) return `${resultStyle.green('✔')} ${from} is the newest version.`;
  if (isUpgraded) return `${resultStyle.green('✔')} The project has version ${to} now; it had ${from}.`;
  return `Version ${to} is there; this is ${from}. Nothing was changed. This would bring it:\n  ${command}`;
}
