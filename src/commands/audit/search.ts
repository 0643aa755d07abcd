import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { archivedLogFlags, logFlags, logOf, parseTime, timeFlags, versionFlag } from '#cli/flags/log-flags';

/** Changes of the configuration have no such values. */
const ofActs = { exclusive: ['admin'] };

export default class AuditSearch extends CloudCommand {
  static override summary = 'Find out who did what: the newest logs that fulfil all conditions.';
  static override examples = [
    '<%= config.bin %> audit search --collection orders --record 7',
    '<%= config.bin %> audit search --user ada@example.com --action delete --since 7d',
    '<%= config.bin %> audit search --client nightly-sync --since 7d',
    '<%= config.bin %> audit search --version 12 --type write',
    '<%= config.bin %> audit search --admin --resource rights',
    '<%= config.bin %> audit search --archive file:///var/archive --collection orders --record 7',
  ];
  static override flags = {
    ...logFlags,
    ...timeFlags,
    collection: string({ summary: 'About records of this collection.', env: 'SERVICE_COLLECTION', ...ofActs }),
    record: string({ summary: 'About the record with this id.', env: 'SERVICE_RECORD', helpValue: '<id>', ...ofActs }),
    user: string({ summary: 'By the person with this e-mail address.', env: 'SERVICE_USER', helpValue: '<e-mail>' }),
    team: string({ summary: 'By people of this team.', env: 'SERVICE_TEAM', ...ofActs }),
    action: string({
      summary: 'Only this: create, update, delete, action, index, …',
      env: 'SERVICE_ACTION',
      ...ofActs,
    }),
    resource: string({
      summary: 'Only changes of this: rights, role, environment, …',
      env: 'SERVICE_RESOURCE',
      dependsOn: ['admin'],
    }),
    type: string({ summary: 'read or write; with --admin: add, update or remove.', env: 'SERVICE_TYPE' }),
    status: string({
      summary: 'Only with this outcome.',
      env: 'SERVICE_STATUS',
      options: ['pending', 'completed', 'failed'],
      ...ofActs,
    }),
    correlation: string({
      summary: 'Of the request with this correlation id.',
      env: 'SERVICE_CORRELATION',
      helpValue: '<id>',
      ...ofActs,
    }),
    client: string({
      summary: 'By this program: id or name of the MCP client or the service account.',
      env: 'SERVICE_CLIENT',
      helpValue: '<id or name>',
      ...ofActs,
    }),
    tool: string({ summary: 'By a call of this MCP tool.', env: 'SERVICE_TOOL', helpValue: '<name>', ...ofActs }),
    version: integer({ ...versionFlag, ...ofActs }),
    ...archivedLogFlags,
    limit: integer({ summary: 'How many to show.', env: 'SERVICE_LIMIT', default: 20, min: 1, max: 100 }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditSearch);
    const context = await this.createContext();
    const { renderFoundLogs } = await import('#cli/rendering/render-audit-log');
    const now = context.clock.now();
    const { since, until, archive, 'project-name': projectName, ...conditions } = flags;
    const times = { since: parseTime(since, now), until: parseTime(until, now) };
    const input = { ...conditions, ...logOf(flags, context), ...times };
    if (archive !== undefined) {
      const { searchArchivedLogs } = await import('#flows/audit/search-archived-logs');
      this.present(await searchArchivedLogs(context, { ...input, archive, projectName }), renderFoundLogs);
      return;
    }
    const { searchLog } = await import('#flows/audit/search-audit-log');
    this.present(await searchLog(context, input), renderFoundLogs);
  }
}
