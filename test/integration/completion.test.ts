import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Config } from '@oclif/core/config';
import { beforeAll, describe, expect, it } from 'vitest';
import { bashCompletion, fishCompletion, powershellCompletion, zshCompletion } from '#cli/completion/completion-code';
import { type CompletionEntry, completionEntries } from '#cli/completion/completion-entries';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const repository = path.resolve(import.meta.dirname, '../..');
let entries: CompletionEntry[];

beforeAll(async () => {
  entries = completionEntries(await Config.load({ root: repository }));
});

/** What a shell offers for the words of a line, the last of which is being typed. */
type Offer = (words: readonly string[]) => Promise<string[]>;

async function scriptFile(code: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, { completion: code });
  return path.join(folder, 'completion');
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
const lines = (text: string) => text.split('\n').filter((line) => line !== '');

const bash: Offer = async (words) => {
  const file = await scriptFile(bashCompletion(entries));
  const script = `source '${file}'; COMP_WORDS=(vendor-cloud ${quoted(words)}); COMP_CWORD=${words.length}; _vendor_cloud; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return lines(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }));
};

const zsh: Offer = async (words) => {
  const file = await scriptFile(zshCompletion(entries));
  // The completion system needs a terminal; its two functions that the script calls are distinguished here.
  const script = `compdef() { :; }; _describe() { print -l -- "\${(@P)2%%:*}"; }; source '${file}'; words=(vendor-cloud ${quoted(words)}); CURRENT=${words.length + 1}; _vendor_cloud`;
  const offered = lines(execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8' }));
  return offered.filter((word) => word.startsWith(words.at(-1) ?? ''));
};

const fish: Offer = async (words) => {
  const file = await scriptFile(fishCompletion(entries));
  const script = `source '${file}'; complete -C 'vendor-cloud ${words.join(' ')}'`;
  return lines(execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })).map(
    (line) => line.split('\t')[0] ?? '',
  );
};

const powershell: Offer = async (words) => {
  const file = await scriptFile(powershellCompletion(entries));
  const line = `vendor-cloud ${words.join(' ')}`;
  const script = `Get-Content -Raw '${file}' | Invoke-Expression; (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`;
  return lines(execFileSync('pwsh', ['-NoProfile', '-Command', script], { encoding: 'utf8' }));
};

function missing(program: string): string {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'pipe' });
    return '';
  } catch {
    return ` (skipped: ${program} is not installed)`;
  }
}

describe.each([
  ['bash', bash, missing('bash')],
  ['zsh', zsh, missing('zsh')],
  ['fish', fish, missing('fish')],
  ['PowerShell', powershell, missing('pwsh')],
] as const)('the completion of %s', (_shell, offer, reason) => {
  it.skipIf(reason !== '')(
    `offers commands, flags and choices${reason === '' ? '' : ' (skipped: it is not installed)'}`,
    async () => {
      expect(await offer(['boo'])).toEqual(['bootstrap']);
      expect(await offer(['pub'])).toEqual(['publish']);
      expect(await offer(['permissions', 'e'])).toEqual(['explain']);
      expect(await offer(['bootstrap', 'my-admin', '--no-i'])).toEqual(['--no-install']);
      expect((await offer(['bootstrap', '--template', ''])).sort()).toEqual(['blank', 'shop']);
      expect(await offer(['completion', 'f'])).toEqual(['fish']);
    },
  );
});

it('the completion of PowerShell has commas where PowerShell can read them', () => {
  const one = { name: 'explain', summary: 'Say where it’s from.' };
  const code = powershellCompletion([
    { path: 'config', candidates: [one] },
    { path: 'data', candidates: [one, { name: 'reset', summary: '' }] },
  ]);
  // A comma in front makes a list of one; at the end it is an error of the whole script.
  expect(code).toContain("'config' = @(,@('explain', 'Say where it’’s from.'))");
  expect(code).toContain("'data' = @(@('explain', 'Say where it’’s from.'), @('reset', 'reset'))");
});

it('the completion knows every command and every flag of the manifest', () => {
  const manifest = JSON.parse(readFileSync(path.join(repository, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { flags: Record<string, unknown> }>;
  };
  for (const [id, { flags }] of Object.entries(manifest.commands)) {
    const entry = entries.find((each) => each.path === id.replaceAll(':', ' '));
    const names = entry?.candidates.map(({ name }) => name);
    expect(names, id).toEqual(expect.arrayContaining(Object.keys(flags).map((flag) => `--${flag}`)));
  }
});
