import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class McpClientsRevoke extends CloudCommand {
  static override summary = 'Disconnect a program from the MCP server of an environment at once.';
  static override description = 'Asks first. The program has to be let in again before it can connect.';
  static override examples = ['<%= config.bin %> mcp clients revoke 3fa94c07be12'];
  static override args = {
    id: string({ required: true, description: 'Id, or the part of it that "mcp clients list" shows.' }),
  };
  static override flags = { ...projectFlags, ...environmentFlags, ...confirmFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(McpClientsRevoke);
    const context = await this.createContext();
    const { revokeClient } = await import('#flows/mcp/connected-clients');
    const { confirmRevokedClient } = await import('#cli/asking/confirm-change');
    const { renderRevokedClient } = await import('#cli/rendering/render-mcp');
    const called = this.invocation.environment.arguments;
    const confirm = confirmRevokedClient(context, { isConfirmed: flags.yes, called });
    const revoked = await revokeClient(context, { ...targetOf(flags, context), id: args.id, confirm });
    this.present(revoked, renderRevokedClient);
  }
}
