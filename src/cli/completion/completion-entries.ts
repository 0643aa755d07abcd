import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';

/** A word that can follow. */
interface Candidate {
  readonly name: string;
  /** Without line breaks. */
  readonly summary: string;
}

/** What can follow some words: the beginning of a command, a whole one, or a command and a flag with choices. */
export interface CompletionEntry {
  /** Words joined by spaces; empty at the start of the line. */
  readonly path: string;
  readonly candidates: readonly Candidate[];
}

/** Everything that completions know, one entry a place, sorted. */
export function completionEntries({ commands }: Pick<Config, 'commands'>): CompletionEntry[] {
  const entries = new Map<string, Map<string, string>>([['', new Map([['help', 'Show how commands are called.']])]]);
  const add = (path: string, name: string, summary: string) => {
    const candidates = entries.get(path) ?? new Map<string, string>();
    if (!candidates.has(name)) candidates.set(name, summary);
    entries.set(path, candidates);
  };
  for (const command of commands.filter(({ hidden }) => !hidden)) {
    for (const id of [command.id, ...command.aliases]) {
      const words = id.split(':');
      const isTopic = (depth: number) => depth < words.length - 1;
      words.forEach((word, depth) => {
        const summary = isTopic(depth) ? `Commands of ${word}.` : singleLine(command.summary ?? '');
        add(words.slice(0, depth).join(' '), word, summary);
      });
      addFlags(words.join(' '), command, add);
    }
  }
  return [...entries]
    .map(([path, candidates]) => ({ path, candidates: sorted(candidates) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function addFlags(path: string, command: Command.Loadable, add: (path: string, name: string, summary: string) => void) {
  for (const [name, flag] of Object.entries(command.flags).filter(([, { hidden }]) => !hidden)) {
    const summary = singleLine(flag.summary ?? flag.description ?? '');
    add(path, `--${name}`, summary);
    if (flag.type === 'boolean' && flag.allowNo) add(path, `--no-${name}`, `Not: ${summary}`);
    if (flag.type === 'option') for (const choice of flag.options ?? []) add(`${path} --${name}`, choice, '');
  }
  for (const choice of Object.values(command.args).flatMap(({ options }) => options ?? [])) add(path, choice, '');
  add(path, '--help', 'Show how it is called.');
}

function sorted(candidates: ReadonlyMap<string, string>): Candidate[] {
  return [...candidates]
    .map(([name, summary]) => ({ name, summary }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
