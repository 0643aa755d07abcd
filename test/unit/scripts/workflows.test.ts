import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const repository = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as { engines: { node: string }; scripts: Record<string, string> };

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      { readonly strategy?: { readonly matrix: object }; readonly steps: readonly { readonly run?: string }[] }
    >
  >;
}

const workflows = readdirSync(path.join(repository, '.github/workflows')).map(
  (name) => [name, parse(read(`.github/workflows/${name}`)) as Workflow] as const,
);

describe('the workflows of the repository', () => {
  it('test each supported Node.js on each system, from the oldest one on', () => {
    const [oldest = ''] = /\d+\.\d+/.exec(manifest.engines.node) ?? [];
    const { systems } = Object.fromEntries(workflows)['ci.yml']?.jobs ?? {};
    expect(systems?.strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [oldest, '24', '26'],
    });
  });

  it.each(workflows)('%s runs scripts that exist', (_name, { jobs }) => {
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run));
    const scripts = commands.flatMap((command) => /^npm run ([\w:]+)/.exec(command)?.[1] ?? []);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });
});

it.each(readdirSync(path.join(repository, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml'))(
  'the issue template %s asks for something that is required',
  (name) => {
    const { body } = parse(read(`.github/ISSUE_TEMPLATE/${name}`)) as {
      body: { validations?: { required?: boolean } }[];
    };
    expect(body.filter(({ validations }) => validations?.required)).not.toEqual([]);
  },
);
