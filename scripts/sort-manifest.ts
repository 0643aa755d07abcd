import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Sort the commands of the manifest: oclif writes them in the order in which it happens to load them. */
const file = path.resolve(import.meta.dirname, '../oclif.manifest.json');
const manifest = JSON.parse(readFileSync(file, 'utf8')) as { readonly commands: Readonly<Record<string, unknown>> };
const commands = Object.fromEntries(Object.entries(manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, JSON.stringify({ ...manifest, commands }, null, 2));
