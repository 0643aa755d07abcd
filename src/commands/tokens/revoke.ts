import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { numberArgument } from '#cli/flags/number-argument';
import { projectFlags } from '#cli/flags/project-flags';

export default class TokensRevoke extends CloudCommand {
  static override summary = 'End an API token at once.';
  static override description = 'Asks first. Whatever uses the token is refused from then on.';
  static override examples = ['<%= config.bin %> tokens revoke 3', '<%= config.bin %> tokens revoke 3 --yes --json'];
  static override args = { id: numberArgument({ required: true, description: 'Id of the token.' }) };
  static override flags = { ...projectFlags, ...confirmFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TokensRevoke);
    const context = await this.createContext();
    const { revokeToken } = await import('#flows/tokens/manage-api-tokens');
    const { confirmRevokedToken } = await import('#cli/asking/confirm-change');
    const { renderRevokedToken } = await import('#cli/rendering/render-api-tokens');
    const folder = flags.project ?? context.workingFolder;
    const called = this.invocation.environment.arguments;
    const confirm = confirmRevokedToken(context, { isConfirmed: flags.yes, called });
    this.present(await revokeToken(context, { folder, id: args.id, confirm }), renderRevokedToken);
  }
}
