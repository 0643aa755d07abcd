import { describe, expect, it } from 'vitest';
import surface from '../../schemas/command-line.json' with { type: 'json' };

/** Names of members whose values let somebody in. */
const secretNames: ReadonlySet<string> = new Set(['token', 'secret', 'envSecret', 'link', 'password']);

/**
 * The commands whose answer holds a secret, because it is what they are for. All others keep secrets out of what they print. A new
 * one needs a place here, and a reason.
 */
const commands = {
  'prints a token for a variable of the shell: to a pipe, and to a terminal only with --show': ['tokens print'],
  'tells how to connect to what it serves on this machine, under --json': ['demo', 'dev', 'mcp', 'sandbox'],
  'shows a new secret once': [
    ...['people invite', 'people reset-password', 'scim create', 'tokens create', 'tokens rotate'],
  ],
  'makes a link that is good once, for a minute': ['sign-in-link'],
};

/** The names of all members of an answer, at any depth. */
function membersOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(membersOf)];
}

describe('the answers of commands', () => {
  it('hold a secret where the table says so only', () => {
    const withSecrets = Object.entries(surface.commands)
      .filter(([, command]) => 'answer' in command && membersOf(command.answer).some((name) => secretNames.has(name)))
      .map(([name]) => name);
    expect(withSecrets.sort()).toEqual(Object.values(commands).flat().sort());
  });
});
