import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { numberArgument } from '#cli/flags/number-argument';
import { projectFlags } from '#cli/flags/project-flags';

export default class ScimRevoke extends CloudCommand {
  static override summary = 'End a token for SCIM at once.';
  static override description = 'Asks first. People and groups stay as they are.';
  static override examples = ['<%= config.bin %> scim revoke 3', '<%= config.bin %> scim revoke 3 --yes --json'];
  static override args = { id: numberArgument({ required: true, description: 'Id of the token.' }) };
  static override flags = { ...projectFlags, ...confirmFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ScimRevoke);
    const context = await this.createContext();
    const { revokeScimToken } = await import('#flows/people/manage-groups');
    const { confirmRevokedScimToken } = await import('#cli/asking/confirm-change');
    const { renderRevokedScimToken } = await import('#cli/rendering/render-groups');
    const folder = flags.project ?? context.workingFolder;
    const called = this.invocation.environment.arguments;
    const confirm = confirmRevokedScimToken(context, { isConfirmed: flags.yes, called });
    this.present(await revokeScimToken(context, { folder, id: args.id, confirm }), renderRevokedScimToken);
  }
}
