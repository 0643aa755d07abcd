import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { clientLimitFlags } from '#cli/flags/mcp-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class McpClientsSet extends CloudCommand {
  static override summary = 'Change what a connected program may do at most for the person who let it in.';
  static override description =
    'What it may do becomes what the flags say, within the rights of its person. It holds at once, also for tokens that are out. Asks first.';
  static override examples = [
    '<%= config.bin %> mcp clients set 3fa94c07be12 --collections orders,customers --read-only',
    '<%= config.bin %> mcp clients set 3fa94c07be12 --tools list,getRecord --records-per-call 50 --writes-per-hour 0',
    '<%= config.bin %> mcp clients set 3fa94c07be12 --counts-as reporting',
    '<%= config.bin %> mcp clients set 3fa94c07be12 --no-limits',
  ];
  static override args = {
    id: string({ required: true, description: 'Id, or the part of it that "mcp clients list" shows.' }),
  };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...confirmFlags,
    ...clientLimitFlags,
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(McpClientsSet);
    const context = await this.createContext();
    const { changeClient } = await import('#flows/mcp/connected-clients');
    const { confirmChangedClient } = await import('#cli/asking/confirm-change');
    const { renderChangedClient } = await import('#cli/rendering/render-mcp');
    const called = this.invocation.environment.arguments;
    const changed = await changeClient(context, {
      ...targetOf(flags, context),
      id: args.id,
      countsAs: flags['counts-as'],
      limits: {
        collections: flags.collections,
        isReadOnly: flags['read-only'],
        tools: flags.tools,
        recordsPerCall: flags['records-per-call'],
        writesPerHour: flags['writes-per-hour'],
      },
      isUnlimited: flags['no-limits'],
      confirm: confirmChangedClient(context, { isConfirmed: flags.yes, called }),
    });
    this.present(changed, renderChangedClient);
  }
}
