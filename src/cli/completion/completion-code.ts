import type { Config } from '@oclif/core/config';
import { bashCompletion } from './bash-completion.ts';
import { completionEntries } from './completion-entries.ts';
import { fishCompletion } from './fish-completion.ts';
import { powershellCompletion } from './powershell-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const codeFor = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const;

/** The code that completes commands and flags in a shell. */
export function completionCode(shell: keyof typeof codeFor, config: Pick<Config, 'commands'>): string {
  return codeFor[shell](completionEntries(config));
}
