import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Config } from '@oclif/core/config';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCommand } from '#cli/help/find-command';

const repository = path.resolve(import.meta.dirname, '../../..');
const documents = ['blank', 'shop'].flatMap((template) => ['README.md', 'AGENTS.md'].map((file) => [template, file]));
/** What bootstrap makes beside the files of the template. */
const made = ['typings.d.ts', '.env', 'shop.sqlite'];
let config: Config;

beforeAll(async () => {
  config = await Config.load({ root: repository });
});

const read = (template: string, file: string) =>
  readFileSync(path.join(repository, 'templates', template, file), 'utf8');

/** The commands of the blocks, and those between back-ticks. */
function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`((?:npx|npm|vendor-cloud) [^`]+)`/g)];
  return [...blocks, ...inline.map(([, command = '']) => command)];
}

/** What is wrong with a command in a new project, or nothing. */
function problemOf(command: string, scripts: Readonly<Record<string, string>>): string | undefined {
  const [program, ...words] = [...command.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word);
  if (program === 'npm') {
    const [script = ''] = words[0] === 'run' ? words.slice(1) : words;
    return scripts[script] === undefined ? `${command}: package.json has no script "${script}"` : undefined;
  }
  if (program !== 'npx' || words[0] !== 'vendor-cloud') return `${command}: the program is not part of the machine`;
  return problemOfCall(words.slice(1));
}

function problemOfCall(words: readonly string[]): string | undefined {
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  if (words[0] === 'help' || config.findTopic(words.join(':'))) return undefined;
  const found = findCommand(config, words);
  if (!found) return `vendor-cloud ${words.join(' ')}: there is no such command`;
  const unknown = flags.filter((flag) => flag !== '' && !Object.hasOwn(found.command.flags, flag));
  return unknown.length > 0 ? `vendor-cloud ${words.join(' ')}: there is no --${unknown.join(', --')}` : undefined;
}

describe('the documents of a new project', () => {
  it.each(documents)('name commands that work there: %s/%s', (template, file) => {
    const { scripts } = JSON.parse(read(template, 'package.json'));
    const commands = commandsOf(read(template, file));
    expect(commands).toContain(file === 'README.md' ? 'npx vendor-cloud dev' : 'npx vendor-cloud dev --json');
    expect(commands.flatMap((command) => problemOf(command, scripts) ?? [])).toEqual([]);
  });

  it.each(['blank', 'shop'])('name files that are there: %s/README.md', (template) => {
    const files = [...read(template, 'README.md').matchAll(/^\| `([^`]+)`/gm)].map(([, file = '']) => file);
    const missing = files.filter((file) => !existsSync(path.join(repository, 'templates', template, file)));
    expect(files.length).toBeGreaterThan(5);
    expect(missing.filter((file) => !made.includes(file))).toEqual([]);
  });

  it.each(['blank', 'shop'])('come with scripts that call commands: %s/package.json', (template) => {
    const scripts: Record<string, string> = JSON.parse(read(template, 'package.json')).scripts;
    const calls = Object.values(scripts).filter((script) => script.startsWith('vendor-cloud '));
    expect(calls.flatMap((call) => problemOfCall(call.split(' -- ')[0]?.split(' ').slice(1) ?? []) ?? [])).toEqual([]);
  });

  it.each([
    ['vendor-cloud dev', 'not part of the machine'],
    ['npm run deploy', 'no script "deploy"'],
    ['npx vendor-cloud serv', 'no such command'],
    ['npx vendor-cloud dev --watch', 'there is no --watch'],
  ])('would be found out with %s', (command, problem) => {
    expect(problemOf(command, { test: '' })).toContain(problem);
  });
});
