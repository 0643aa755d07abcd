import type { Config } from '@oclif/core/config';
import * as z from 'zod';
import { helpDocument } from '#cli/help/help-document';
import { dashboardFileSchema } from '#contracts/dashboards';
import { permissionFileSchema } from '#contracts/permission-file';
import { projectConfigSchema } from '#contracts/project-config';
import { variables } from '#kernel/environment/variables';
import { type CatalogueEntry, catalogue } from '#kernel/errors/catalogue';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

const generated = '<!-- Written by "npm run docs"; a test compares it with the code. -->\n';

/** `docs/errors.md` */
export function errorsPage(): string {
  const entries = Object.entries<CatalogueEntry>(catalogue).map(
    ([code, entry]) => `## ${code}

${entry.cause} **To fix it:** ${entry.fix}

Kind \`${entry.kind}\`, exit code ${entry.exitCode}, HTTP status ${entry.status}${entry.wireName ? `, name \`${entry.wireName}\`` : ''}, wait for \`${entry.recover}\`.
`,
  );
  return `${generated}
# Errors

Every error has a stable code. \`kind\` says who can act: \`user\` (you), \`environment\` (the machine or its settings), \`platform\`
(whoever runs the platform), \`bug\` (us). "Wait for" says what must change before a retry helps. The command line prints the
error on stderr, or as \`{"error": {…}}\` on stdout under \`--json\`, and exits with the exit code; servers answer with the status.

${entries.join('\n')}`;
}

/** `docs/environment.md` */
export function environmentPage(): string {
  const rows = Object.entries(variables).map(([name, definition]) => {
    const fallback = 'default' in definition ? `\`${definition.default}\`` : '';
    return `| \`${name}\` | ${definition.description} | ${fallback} | ${'isSecret' in definition ? 'yes' : ''} |`;
  });
  return `${generated}
# Environment variables

A flag wins over the variable of the process, that over the project's \`.env\`, that over \`vendor-cloud.json\`.

| variable | what it is | default | secret |
|---|---|---|---|
${rows.join('\n')}

Every flag of every command has a variable as well: it stands beside the flag in [commands.md](commands.md).
`;
}

/** `docs/commands.md` */
export function commandsPage(config: Config): string {
  const commands = config.commands.filter(({ hidden }) => !hidden).sort((a, b) => a.id.localeCompare(b.id));
  const sections = commands.map((command) => {
    const document = helpDocument(config, command);
    if (!('command' in document)) return '';
    const { id, summary, aliases, arguments: positional, flags, examples } = document.command;
    const usage = [
      config.bin,
      id,
      ...positional.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)),
    ].join(' ');
    const rows = [
      ...positional.map((argument) => `| \`${argument.name}\` | ${argument.description ?? ''} | |`),
      ...flags.map((flag) => `| \`${flag.name}\` | ${flag.description ?? ''} | \`${flag.environment ?? ''}\` |`),
    ];
    return `## ${id}

${summary}${aliases.length > 0 ? ` Also \`${aliases.join('`, `')}\`.` : ''}

\`\`\`
${[...new Set([usage, ...examples])].join('\n')}
\`\`\`

| argument or flag | what it does | variable |
|---|---|---|
${rows.join('\n')}
`;
  });
  const codes = Object.entries(exitCodes).map(([name, code]) => `| ${code} | ${name} |`);
  return `${generated}
# Commands

${sections.join('\n')}
## Exit codes

| code | meaning |
|---|---|
${codes.join('\n')}
`;
}

/** `schemas/project.json`, for editors. */
export function projectSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(projectConfigSchema, { io: 'input' }), null, 2)}\n`;
}

/** `schemas/permissions.json`, for editors. */
export function permissionSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(permissionFileSchema, { io: 'input' }), null, 2)}\n`;
}

/** `schemas/dashboard.json`, for editors. */
export function dashboardSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(dashboardFileSchema, { io: 'input' }), null, 2)}\n`;
}
