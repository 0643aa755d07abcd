import type { Reporter } from '#kernel/ports/reporter';

/** Whether the address of a database holds a password. */
export function hasPassword(uri: string): boolean {
  return /^[a-z+]+:\/\/[^/?#]*:[^/?#]+@/i.test(uri);
}

/** The address of a database with dots in place of its password, as far as it is typed. */
export function withoutPassword(uri: string): string {
  const [, before = '', password = '', after = ''] = /^([a-z+]+:\/\/[^/?#:@]*:)(.*(?=@)|[^/?#]*)(.*)$/i.exec(uri) ?? [];
  return before === '' ? uri : `${before}${'•'.repeat(password.length)}${after}`;
}

/**
 * Warns of a secret that was typed as a flag: arguments show in the list of processes and stay in the history of the shell.
 *
 * @param words as they were typed; a secret from the variable of the flag is none of them.
 */
export function warnOfTypedSecret(reporter: Reporter, words: readonly string[], flag: string, variable: string): void {
  if (!words.some((word) => word === flag || word.startsWith(`${flag}=`))) return;
  reporter.warn(
    `What follows ${flag} is a secret, and shows in the list of processes and in the history of the shell.`,
    `Set ${variable} instead.`,
  );
}
