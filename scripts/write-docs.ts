import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Config } from '@oclif/core/config';
import { commandSurfaceText } from './command-surface.ts';
import {
  commandsPage,
  dashboardSchemaText,
  environmentPage,
  errorsPage,
  permissionSchemaText,
  projectSchemaText,
} from './reference-pages.ts';

/** Write the pages that are made from the code; a test compares them. */
const root = path.resolve(import.meta.dirname, '..');
const config = await Config.load({ root });
const pages: Record<string, string> = {
  'docs/errors.md': errorsPage(),
  'docs/environment.md': environmentPage(),
  'docs/commands.md': commandsPage(config),
  'schemas/project.json': projectSchemaText(),
  'schemas/permissions.json': permissionSchemaText(),
  'schemas/dashboard.json': dashboardSchemaText(),
  'schemas/command-line.json': commandSurfaceText(config),
};
for (const [file, text] of Object.entries(pages)) {
  const target = path.join(root, file);
  writeFileSync(target, text);
  console.log(`${file} ${readFileSync(target, 'utf8').length} characters`);
}
