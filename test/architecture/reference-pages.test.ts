import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Config } from '@oclif/core/config';
import { describe, expect, it } from 'vitest';
import {
  commandsPage,
  dashboardSchemaText,
  environmentPage,
  errorsPage,
  permissionSchemaText,
  projectSchemaText,
} from '../../scripts/reference-pages.ts';
import { repository } from './source-tree.ts';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');

describe('pages that are made from the code (npm run docs)', () => {
  it('list exactly the errors of the catalogue', () => {
    expect(read('docs/errors.md')).toBe(errorsPage());
  });

  it('list exactly the environment variables', () => {
    expect(read('docs/environment.md')).toBe(environmentPage());
  });

  it('describe exactly the commands of the manifest', async () => {
    expect(read('docs/commands.md')).toBe(commandsPage(await Config.load({ root: repository })));
  });

  it('show each way to call a command once', async () => {
    const page = commandsPage(await Config.load({ root: repository }));
    const blocks = [...page.matchAll(/```\n([^`]*)\n```/g)].map(([, calls = '']) => calls.split('\n'));
    expect(blocks.length).toBeGreaterThan(50);
    expect(blocks.filter((calls) => new Set(calls).size < calls.length)).toEqual([]);
  });

  it('give editors the schema of vendor-cloud.json', () => {
    expect(read('schemas/project.json')).toBe(projectSchemaText());
    expect(read('schemas/permissions.json')).toBe(permissionSchemaText());
    expect(read('schemas/dashboard.json')).toBe(dashboardSchemaText());
  });
});

describe('the commands', () => {
  it('give every flag a variable of its own name, except where the variable has a name already', async () => {
    const { commands } = await Config.load({ root: repository });
    const named: Record<string, string> = { 'mcp-port': 'MCP_SERVER_PORT', store: 'SERVICE_PLATFORM_STORE' };
    for (const command of commands) {
      for (const [name, flag] of Object.entries(command.flags)) {
        const expected = named[name] ?? `SERVICE_${name.toUpperCase().replaceAll('-', '_')}`;
        expect(flag.env, `${command.id} --${name}`).toBe(expected);
      }
    }
  });
});
